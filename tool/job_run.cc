#include "job_run.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace strata::tool {
namespace {

/// A process that does nothing, in the process group of the command, until a signal ends it.
class SignalProbe {
public:
    SignalProbe() { start(); }
    ~SignalProbe() {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    SignalProbe(const SignalProbe&) = delete;
    SignalProbe& operator=(const SignalProbe&) = delete;

    /// Returns whether a signal that has just arrived also reached this process.
    bool has_got(int number) {
        constexpr timespec moment = {0, 10'000'000};
        for (int i = 0; pid_ > 0 && i < 20; ++i) {
            int status = 0;
            if (waitpid(pid_, &status, WNOHANG) == pid_) {
                start();  // for the next one
                return WIFSIGNALED(status) && WTERMSIG(status) == number;
            }
            nanosleep(&moment, nullptr);
        }
        return false;
    }

private:
    void start() {
        const pid_t parent = getpid();
        pid_ = fork();
        if (pid_ != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        while (getppid() == parent) pause();
        _exit(0);
    }

    pid_t pid_ = 0;
};

/// Signals that end jobs end the command, not this process, which waits for it and cleans up. Ctrl-C
/// reaches the command anyway. SIGTERM and SIGHUP are passed on, unless they came to the whole process
/// group (from `timeout`, a terminal, a batch system): after two of these mpirun would leave its processes
/// behind. No signal is lost: they stay blocked until this process waits for them.
class SignalGuard {
public:
    SignalGuard() {
        struct sigaction ignore = {};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGINT, &ignore, &interrupt_);
        sigaction(SIGQUIT, &ignore, &quit_);
        struct sigaction usual = {};
        usual.sa_handler = SIG_DFL;
        sigaction(SIGCHLD, &usual, &child_);  // if it were ignored, the command's end would go unnoticed
        sigemptyset(&ending_);
        for (const int number : {SIGTERM, SIGHUP}) {
            struct sigaction given = {};
            sigaction(number, nullptr, &given);
            if (given.sa_handler != SIG_IGN) sigaddset(&ending_, number);  // nohup ignores one
        }
        sigset_t awaited = ending_;
        sigaddset(&awaited, SIGCHLD);
        sigprocmask(SIG_BLOCK, &awaited, &mask_);
    }
    ~SignalGuard() {
        sigaction(SIGINT, &interrupt_, nullptr);
        sigaction(SIGQUIT, &quit_, nullptr);
        sigaction(SIGCHLD, &child_, nullptr);
        sigprocmask(SIG_SETMASK, &mask_, nullptr);
    }
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    pid_t start(const std::vector<std::string>& command) const;
    /// Returns as run_job().
    int wait_for(pid_t child, SignalProbe& witness) const;

private:
    struct sigaction interrupt_ = {};
    struct sigaction quit_ = {};
    struct sigaction child_ = {};
    sigset_t ending_ = {};
    sigset_t mask_ = {};  ///< the mask before, and the command's
};

/// Starts the command, with the usual effect of signals.
pid_t SignalGuard::start(const std::vector<std::string>& command) const {
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
    posix_spawnattr_setsigmask(&attributes, &mask_);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        throw std::runtime_error("--run: cannot start '" + command[0] + "': " + std::strerror(error));
    }
    return child;
}

int SignalGuard::wait_for(pid_t child, SignalProbe& witness) const {
    constexpr int signalled = 128;  // as shells report it
    sigset_t awaited = ending_;
    sigaddset(&awaited, SIGCHLD);
    int ending = 0;
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(child, &status, WNOHANG)) != child;) {
        if (ended < 0 && errno != EINTR)
            throw std::runtime_error(std::string("--run: cannot wait: ") + std::strerror(errno));
        const int number = sigwaitinfo(&awaited, nullptr);
        if (number > 0 && number != SIGCHLD) {
            ending = number;
            if (!witness.has_got(number)) kill(child, number);
        }
    }
    // The status reports the signal, whatever the command makes of it: mpirun ends with 1, for example.
    if (ending != 0) return signalled + ending;
    return WIFSIGNALED(status) ? signalled + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Returns true for the names of mpirun, which distributions lengthen: mpirun.openmpi, mpirun-5.0.7. A
/// script of the user (mpirun_case3.sh) must not run once more only to print its version.
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

/// Returns whether the mpirun of this job is of Open MPI 4 or older; false if unknown.
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

/// Sets parameters for every process of a job. From Open MPI 5.0 on mpirun passes only the variables of
/// mca_base_env_list to other nodes; 4.1 passes all such variables, and accepts no such list together with
/// its option -x.
void export_parameters(const std::vector<std::pair<std::string, std::string>>& parameters, bool is_old) {
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
    const SignalGuard undisturbed;
    export_parameters(parameters, is_old(command));
    SignalProbe witness;
    return undisturbed.wait_for(undisturbed.start(command), witness);
}

}  // namespace strata::tool
