#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace strata::tool {

/// The files of a run, in a folder below the current one, because other nodes must reach it. The
/// destructor removes the folder unless keep() was called.
class RunFolder {
public:
    /// `command` is part of the folder's name. Throws std::runtime_error if it cannot be created.
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

/// Runs an unmodified program, with these MCA parameters for all processes of its job, and waits for it;
/// it inherits the standard streams. Passes SIGTERM and SIGHUP on to it, and still waits for it. Returns
/// its exit status, 128 + N after signal N. Throws std::runtime_error if it cannot be started.
int run_job(const std::vector<std::string>& command,
            const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace strata::tool
