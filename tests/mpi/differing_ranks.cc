// Tests ranks that differ in local state: rounding mode, floating-point traps, locale. The plugin serves
// them as if they were equal, although it decides by real numbers and compares settings as text.
//
//   differing_ranks [--what rounding|traps|locale|setlocale]    odd ranks differ; setlocale: even ones
#include <fenv.h>

#include <clocale>
#include <cstdlib>
#include <locale>
#include <vector>

#include "check.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

/// The German number format; needs no installed locale.
struct Grouped : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

/// Sets the C library's locale between calls too, with a decimal comma where the German one has it.
bool is_german = false;
void change_locale(bool german) {
    is_german = std::setlocale(LC_ALL, german ? "de_DE.UTF-8" : "C") != nullptr && german;
}

bool says(int argc, char** argv, std::string_view word) {
    for (int i = 1; i < argc; ++i) {
        if (argv[i] == word) return true;
    }
    return false;
}

/// Runs before MPI_Init, in which the plugin reads its parameters.
void differ(int argc, char** argv) {
    const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (rank != nullptr && std::atoi(rank) % 2 == 0 && says(argc, argv, "setlocale")) change_locale(true);
    if (rank == nullptr || std::atoi(rank) % 2 == 0) return;
    if (says(argc, argv, "rounding")) fesetround(FE_UPWARD);
    if (says(argc, argv, "locale")) std::locale::global(std::locale(std::locale::classic(), new Grouped));
    if (says(argc, argv, "settings")) setenv("OMPI_MCA_coll_strata_window", "7", 1);
}

void call_all(Session& session, int count, int root) {
    const auto ranks = static_cast<std::size_t>(session.size());
    const auto items = static_cast<std::size_t>(count);
    const double own = session.rank() + 1;
    std::vector<double> one(items, own);
    std::vector<double> all(items * ranks);
    const int sum = session.size() * (session.size() + 1) / 2;
    const auto expect = [&](bool right, const char* what) {
        if (!right) session.fail("%s of %d doubles, root %d", what, count, root);
    };
    session.at("%d doubles, root %d", count, root);
    MPI_Gather(one.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, root, MPI_COMM_WORLD);
    expect(session.rank() != root || all.back() == session.size(), "gather");
    MPI_Scatter(all.data(), count, MPI_DOUBLE, one.data(), count, MPI_DOUBLE, root, MPI_COMM_WORLD);
    expect(one.back() == own, "scatter");
    MPI_Reduce(one.data(), all.data(), count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    expect(session.rank() != root || all[items - 1] == sum, "reduce");
    MPI_Allreduce(one.data(), all.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect(all[items - 1] == sum, "allreduce");
    MPI_Allgather(one.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
    expect(all.back() == session.size(), "allgather");
    MPI_Bcast(one.data(), count, MPI_DOUBLE, root, MPI_COMM_WORLD);
    expect(one.back() == root + 1, "bcast");
}

void expect_served(Session& session, const PluginCounters& counters) {
    std::uint64_t served = 0;
    for (const char* op : {"bcast", "gather", "scatter", "reduce", "allreduce", "allgather"}) {
        served += counters.read(session, std::string(op) + "_tree");
        if (counters.read(session, std::string(op) + "_forward_settings") > 0) {
            session.fail("calls of %s are left because settings differ", op);
        }
    }
    session.expect(served > 0, "the plugin serves calls");
}

void test(Session& session, const std::string& what) {
    const PluginCounters counters(session);  // counts from here on
    // Open MPI's own start may trap.
    if (what == "traps" && session.rank() % 2 == 1) {
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
    }
    const int round = fegetround();
    const int trapped = fegetexcept();
    // Plans change with the size: many sizes, few calls of each.
    for (int count = 1; count <= 60'000; count += count / 20 + 1) {
        for (const int root : {0, session.size() - 1}) {
            call_all(session, count, root);
            if (what == "setlocale" && session.rank() % 2 == 0) change_locale(!is_german);
        }
    }
    session.expect(fegetround() == round && fegetexcept() == trapped, "the caller's modes are as they were");
    fedisableexcept(FE_ALL_EXCEPT);
    expect_served(session, counters);
}

}  // namespace

int main(int argc, char** argv) {
    differ(argc, argv);
    Session session(argc, argv);
    const std::string what = session.option("--what", "rounding");
    session.reject_other_arguments();
    const bool lacks_locale = what == "setlocale" && session.rank() % 2 == 0 && !is_german;
    if (session.total(lacks_locale ? 1 : 0) > 0) {
        return session.skip("there is no locale de_DE.UTF-8");
    }
    test(session, what);
    return session.finish();
}
