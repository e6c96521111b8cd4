#include "holdings.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace strata::testing {
namespace {

const std::string shared_memory = "/dev/shm/";

/// Excludes file-backed pages: those of programs and libraries come and go with memory pressure.
std::int64_t resident_bytes() {
    std::int64_t kibibytes = 0;
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::int64_t some = 0;
        if ((word == "RssAnon:" || word == "RssShmem:") && status >> some) kibibytes += some;
    }
    return kibibytes << 10;
}

std::int64_t allocated_bytes() {
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
    const auto told = mallinfo2();
    return static_cast<std::int64_t>(told.uordblks + told.hblkhd);
#endif
#endif
    return 0;
}

std::int64_t entries_of(const char* folder) {
    std::error_code error;
    return std::distance(std::filesystem::directory_iterator(folder, error), {});
}

/// Counts files below /dev/shm that are mapped here, including removed ones.
std::set<std::string> mapped_segments() {
    std::set<std::string> names;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (const std::size_t at = line.find(shared_memory); at != std::string::npos) {
            names.insert(line.substr(at + shared_memory.size()));
        }
    }
    return names;
}

/// Open MPI names them by user, job and, last, the rank: counts all that differ from a mapped one only in
/// the rank.
std::int64_t segments() {
    const std::set<std::string> mapped = mapped_segments();
    std::set<std::string> jobs;
    for (const std::string& name : mapped) jobs.insert(name.substr(0, name.rfind('.') + 1));
    std::set<std::string> all = mapped;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(shared_memory, error)) {
        const std::string name = entry.path().filename();
        for (const std::string& job : jobs) {
            if (!job.empty() && name.starts_with(job)) all.insert(name);
        }
    }
    return static_cast<std::int64_t>(all.size());
}

}  // namespace

void lose_segment(int number) {
    const std::string name =
        shared_memory + "strata-lost." + std::to_string(getpid()) + "." + std::to_string(number);
    const int file = open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
    if (file < 0) return;
    unlink(name.c_str());
    const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0) mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
    close(file);
}

const char* name_of(Holding what) {
    switch (what) {
        case Holding::memory: return "resident";
        case Holding::allocated: return "allocated";
        case Holding::communicators: return "communicators";
        case Holding::context: return "highest context id";
        case Holding::requests: return "requests";
        case Holding::files: return "open files";
        case Holding::segments: return "shared-memory segments";
        case Holding::count: break;
    }
    return "?";
}

Holdings held_now() {
    const OpenMpiTables tables = open_mpi_tables();
    // In the order of Holding.
    return {resident_bytes(),
            allocated_bytes(),
            tables.communicators,
            tables.highest_context,
            tables.requests,
            entries_of("/proc/self/fd"),
            segments()};
}

}  // namespace strata::testing
