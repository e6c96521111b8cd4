#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace strata::tool {

/// Files of a run, in a folder of their own below the current one, because other nodes must reach it. They
/// vanish with the object unless they are kept.
class RunFolder {
public:
    /// `command`: whose folder this is, as in its name. Throws std::runtime_error where none can be made.
    explicit RunFolder(const std::string& command);
    ~RunFolder();
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    std::filesystem::path file(const char* name) const { return folder_ / name; }
    const std::filesystem::path& path() const { return folder_; }
    void keep() { kept_ = true; }

private:
    std::filesystem::path folder_;
    bool kept_ = false;
};

/// Runs an unmodified program, with these MCA parameters for all processes of its job, and waits for it; it
/// inherits the standard streams. Returns its exit status, 128 + N after signal N; SIGTERM and SIGHUP are passed
/// on to it, and it is waited for all the same. Throws std::runtime_error where it cannot be started.
int run_job(const std::vector<std::string>& command,
            const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace strata::tool
