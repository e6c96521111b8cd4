#include "job_run.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace strata::tool {
namespace {

/// Ctrl-C ends the command, not whoever waits for it and has to clean up.
class Undisturbed {
public:
    Undisturbed() {
        struct sigaction ignore = {};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGINT, &ignore, &interrupt_);
        sigaction(SIGQUIT, &ignore, &quit_);
    }
    ~Undisturbed() {
        sigaction(SIGINT, &interrupt_, nullptr);
        sigaction(SIGQUIT, &quit_, nullptr);
    }
    Undisturbed(const Undisturbed&) = delete;
    Undisturbed& operator=(const Undisturbed&) = delete;

private:
    struct sigaction interrupt_ = {};
    struct sigaction quit_ = {};
};

/// The command, which Ctrl-C ends as usual.
pid_t start(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGQUIT);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        throw std::runtime_error("--run: cannot start '" + command[0] + "': " + std::strerror(error));
    }
    return child;
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            throw std::runtime_error(std::string("--run: cannot wait: ") + std::strerror(errno));
    }
    return status;
}

/// By its name, which distributions lengthen: mpirun.openmpi, mpirun-5.0.7. A script of the user
/// (mpirun_case3.sh) must not be run once more, only to be asked.
bool is_mpirun(const std::string& command) {
    std::string_view name = command;
    name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
    const auto dash = name.find('-');
    if (dash != name.npos && dash + 1 < name.size() && name[dash + 1] != '.' &&
        name.find_first_not_of("0123456789.", dash + 1) == name.npos) {
        name = name.substr(0, dash);
    }
    constexpr std::string_view distribution = ".openmpi";
    if (name.ends_with(distribution)) name.remove_suffix(distribution.size());
    return name == "mpirun" || name == "mpiexec" || name == "orterun" || name == "prterun";
}

/// Whether this job's mpirun is of Open MPI 4 or older; false where nobody can tell.
bool is_old(const std::vector<std::string>& command) {
    setenv("STRATA_MPIRUN", is_mpirun(command[0]) ? command[0].c_str() : "mpirun", 1);
    std::string text(200, '\0');
    if (FILE* const output = popen("exec \"$STRATA_MPIRUN\" --version 2>/dev/null </dev/null", "r");
        output != nullptr) {
        text.resize(fread(text.data(), 1, text.size(), output));
        pclose(output);
    }
    unsetenv("STRATA_MPIRUN");
    const auto release = text.find("(Open MPI) ");
    return text.find("(OpenRTE) ") != std::string::npos ||
           (release != std::string::npos && text.compare(release + 11, 2, "5.") < 0 &&
            text.compare(release + 12, 1, ".") == 0);
}

/// For every process of a job. From Open MPI 5.0 on mpirun passes to other nodes what mca_base_env_list
/// names, and no more; 4.1 passes all such variables, and takes no such list together with its option -x.
void hand_on(const std::vector<std::pair<std::string, std::string>>& parameters, bool is_old) {
    const char* const given = getenv("OMPI_MCA_mca_base_env_list");
    std::string list = given != nullptr ? given : "";
    for (const auto& [name, value] : parameters) {
        setenv(("OMPI_MCA_" + name).c_str(), value.c_str(), 1);
        list += (list.empty() ? "OMPI_MCA_" : ";OMPI_MCA_") + name;
    }
    if (!is_old) setenv("OMPI_MCA_mca_base_env_list", list.c_str(), 1);
}

}  // namespace

RunFolder::RunFolder(const std::string& command) {
    std::string pattern = std::filesystem::current_path() / (command + "-XXXXXX");
    if (mkdtemp(pattern.data()) == nullptr) {
        throw std::runtime_error("--run: cannot make the folder '" + pattern + "': " + std::strerror(errno));
    }
    folder_ = pattern;
}

RunFolder::~RunFolder() {
    if (kept_) return;
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

int run_job(const std::vector<std::string>& command,
            const std::vector<std::pair<std::string, std::string>>& parameters) {
    hand_on(parameters, is_old(command));
    const Undisturbed undisturbed;
    const int status = wait_for(start(command));
    constexpr int signalled = 128;  // as shells say it
    return WIFSIGNALED(status) ? signalled + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace strata::tool
