// Profiles the time of an unmodified MPI program: LD_PRELOAD=libmpi_profile.so STRATA_PROFILE=FOLDER
// program
//
// Every rank writes FOLDER/rank-N.json in MPI_Finalize; a rank that ends without it writes nothing. Time
// inside a function includes waiting for other ranks. Interfaces: C, and Fortran by mpif.h or `use mpi`
// (not `use mpi_f08`). Open MPI 4.1's Fortran functions call PMPI_..., which wrappers of the C names
// alone would miss; of nested calls only the outer one counts.

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

using Clock = std::chrono::steady_clock;

enum Function : std::size_t {
#define PROFILED(name, ...) function_##name,
#include "functions.def"
#undef PROFILED
    functions
};

constexpr std::array<const char*, functions> names = {
#define PROFILED(name, ...) #name,
#include "functions.def"
#undef PROFILED
};

// Calls whose bytes lie between a power of two and the next.
struct Calls {
    std::atomic<std::int64_t> number{0};
    std::atomic<std::int64_t> nanoseconds{0};
    std::atomic<std::int64_t> bytes{0};
};

constexpr std::size_t size_classes = 48;  // class 0: no bytes; class k: from 2^(k-1)

std::array<std::array<Calls, size_classes>, functions> totals;
const Clock::time_point loaded = Clock::now();
thread_local int depth = 0;

std::int64_t nanoseconds_since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

void count(Function function, std::int64_t bytes, Clock::time_point start) {
    const auto size_class = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)));
    Calls& calls = totals[function][size_class < size_classes ? size_class : size_classes - 1];
    calls.number.fetch_add(1, std::memory_order_relaxed);
    calls.nanoseconds.fetch_add(nanoseconds_since(start), std::memory_order_relaxed);
    calls.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

// Runs `call()` and counts it unless another measured function called it.
template <typename Call>
auto timed(Function function, std::int64_t bytes, const Call& call) {
    struct Depth {
        Depth() { ++depth; }
        ~Depth() { --depth; }
    };
    const bool outermost = depth == 0;
    const Depth deeper;
    const auto start = Clock::now();
    if constexpr (std::is_void_v<decltype(call())>) {
        call();
        if (outermost) count(function, bytes, start);
    } else {
        const auto result = call();
        if (outermost) count(function, bytes, start);
        return result;
    }
}

std::int64_t bytes_of(const void* buffer, int number, MPI_Datatype type) {
    int size = 0;
    if (buffer == MPI_IN_PLACE || number <= 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS) return 0;
    return static_cast<std::int64_t>(number) * size;
}

// Returns the bytes given by the arguments of a C function.
template <int Count, int Type, typename Arguments>
std::int64_t bytes_in(const Arguments& arguments) {
    if constexpr (Count < 0) {
        return 0;
    } else {
        return bytes_of(std::get<Count - 1>(arguments), std::get<Count>(arguments),
                        std::get<Type>(arguments));
    }
}

// Fortran's MPI_IN_PLACE is a variable of the MPI library; its name depends on the compiler.
bool fortran_in_place(const void* buffer) {
    static const void* const place = dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_");
    return place && buffer == place;
}

template <int Count, int Type, std::size_t Number>
std::int64_t fortran_bytes_in(const std::array<void*, Number>& arguments) {
    if constexpr (Count < 0) {
        return 0;
    } else {
        if (fortran_in_place(arguments[Count - 1])) return 0;
        return bytes_of(arguments[Count - 1], *static_cast<MPI_Fint*>(arguments[Count]),
                        PMPI_Type_f2c(*static_cast<MPI_Fint*>(arguments[Type])));
    }
}

// Returns the MPI library's function that our wrapper replaces.
template <typename Pointer>
Pointer next(const char* symbol) {
    void* const found = dlsym(RTLD_NEXT, symbol);
    if (!found) {
        std::fprintf(stderr, "mpi_profile: there is no %s\n", symbol);
        std::abort();
    }
    return reinterpret_cast<Pointer>(found);
}

template <typename>
struct Signature;
template <typename... Types>
struct Signature<int(Types...)> {
    using Arguments = std::tuple<Types...>;
};
template <auto Pmpi, std::size_t Place>
using Argument =
    std::tuple_element_t<Place, typename Signature<std::remove_pointer_t<decltype(Pmpi)>>::Arguments>;

template <std::size_t>
using Pointer = void*;
template <typename>
struct FortranFunction;
template <std::size_t... Places>
struct FortranFunction<std::index_sequence<Places...>> {
    using Type = void (*)(Pointer<Places>...);
};

void write_function(std::FILE* file, Function function, const char*& separator) {
    std::int64_t number = 0, nanoseconds = 0, bytes = 0;
    std::string sizes;
    for (std::size_t size_class = 0; size_class < size_classes; ++size_class) {
        const Calls& calls = totals[function][size_class];
        if (calls.number == 0) continue;
        number += calls.number;
        nanoseconds += calls.nanoseconds;
        bytes += calls.bytes;
        const std::int64_t least = size_class ? std::int64_t{1} << (size_class - 1) : 0;
        sizes += (sizes.empty() ? "\"" : ", \"") + std::to_string(least) +
                 "\": {\"calls\": " + std::to_string(calls.number) +
                 ", \"seconds\": " + std::to_string(static_cast<double>(calls.nanoseconds) * 1e-9) + "}";
    }
    if (number == 0) return;
    std::fprintf(file, "%s\n  \"%s\": {\"calls\": %lld, \"seconds\": %.6f, \"bytes\": %lld, \"from\": {%s}}",
                 separator, names[function], static_cast<long long>(number),
                 static_cast<double>(nanoseconds) * 1e-9, static_cast<long long>(bytes), sizes.c_str());
    separator = ",";
}

// Does nothing without STRATA_PROFILE.
void write_profile() {
    const char* const folder = std::getenv("STRATA_PROFILE");
    if (!folder || !*folder) return;
    int rank = 0, size = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    const std::string path = std::string(folder) + "/rank-" + std::to_string(rank) + ".json";
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (!file) {
        std::perror(("mpi_profile: " + path).c_str());
        return;
    }
    std::fprintf(file, "{\"rank\": %d, \"ranks\": %d, \"seconds\": %.6f, \"functions\": {", rank, size,
                 static_cast<double>(nanoseconds_since(loaded)) * 1e-9);
    const char* separator = "";
    for (std::size_t function = 0; function < functions; ++function) {
        write_function(file, static_cast<Function>(function), separator);
    }
    std::fputs("}}\n", file);
    if (std::fclose(file) != 0) std::perror(("mpi_profile: " + path).c_str());
}

}  // namespace

// Indices of the arguments in C and in Fortran.
#define C_PARAMETERS_1(name) Argument<PMPI_##name, 0> a0
#define C_PARAMETERS_2(name) C_PARAMETERS_1(name), Argument<PMPI_##name, 1> a1
#define C_PARAMETERS_3(name) C_PARAMETERS_2(name), Argument<PMPI_##name, 2> a2
#define C_PARAMETERS_4(name) C_PARAMETERS_3(name), Argument<PMPI_##name, 3> a3
#define C_PARAMETERS_5(name) C_PARAMETERS_4(name), Argument<PMPI_##name, 4> a4
#define C_PARAMETERS_6(name) C_PARAMETERS_5(name), Argument<PMPI_##name, 5> a5
#define C_PARAMETERS_7(name) C_PARAMETERS_6(name), Argument<PMPI_##name, 6> a6
#define C_PARAMETERS_8(name) C_PARAMETERS_7(name), Argument<PMPI_##name, 7> a7
#define C_PARAMETERS_9(name) C_PARAMETERS_8(name), Argument<PMPI_##name, 8> a8
#define C_PARAMETERS_10(name) C_PARAMETERS_9(name), Argument<PMPI_##name, 9> a9
#define C_PARAMETERS_11(name) C_PARAMETERS_10(name), Argument<PMPI_##name, 10> a10
#define C_PARAMETERS_12(name) C_PARAMETERS_11(name), Argument<PMPI_##name, 11> a11
#define FORTRAN_PARAMETERS_1 void* a0
#define FORTRAN_PARAMETERS_2 FORTRAN_PARAMETERS_1, void* a1
#define FORTRAN_PARAMETERS_3 FORTRAN_PARAMETERS_2, void* a2
#define FORTRAN_PARAMETERS_4 FORTRAN_PARAMETERS_3, void* a3
#define FORTRAN_PARAMETERS_5 FORTRAN_PARAMETERS_4, void* a4
#define FORTRAN_PARAMETERS_6 FORTRAN_PARAMETERS_5, void* a5
#define FORTRAN_PARAMETERS_7 FORTRAN_PARAMETERS_6, void* a6
#define FORTRAN_PARAMETERS_8 FORTRAN_PARAMETERS_7, void* a7
#define FORTRAN_PARAMETERS_9 FORTRAN_PARAMETERS_8, void* a8
#define FORTRAN_PARAMETERS_10 FORTRAN_PARAMETERS_9, void* a9
#define FORTRAN_PARAMETERS_11 FORTRAN_PARAMETERS_10, void* a10
#define FORTRAN_PARAMETERS_12 FORTRAN_PARAMETERS_11, void* a11
#define ARGUMENTS_1 a0
#define ARGUMENTS_2 ARGUMENTS_1, a1
#define ARGUMENTS_3 ARGUMENTS_2, a2
#define ARGUMENTS_4 ARGUMENTS_3, a3
#define ARGUMENTS_5 ARGUMENTS_4, a4
#define ARGUMENTS_6 ARGUMENTS_5, a5
#define ARGUMENTS_7 ARGUMENTS_6, a6
#define ARGUMENTS_8 ARGUMENTS_7, a7
#define ARGUMENTS_9 ARGUMENTS_8, a8
#define ARGUMENTS_10 ARGUMENTS_9, a9
#define ARGUMENTS_11 ARGUMENTS_10, a10
#define ARGUMENTS_12 ARGUMENTS_11, a11

#pragma GCC visibility push(default)
extern "C" {

#define PROFILED(name, fortran, arity, count_place, type_place)                                      \
    int MPI_##name(C_PARAMETERS_##arity(name)) {                                                     \
        const auto bytes = bytes_in<count_place, type_place>(std::tie(ARGUMENTS_##arity));           \
        return timed(function_##name, bytes, [&] { return PMPI_##name(ARGUMENTS_##arity); });        \
    }                                                                                                \
    void mpi_##fortran##_(FORTRAN_PARAMETERS_##arity, void* error) {                                 \
        using Original = FortranFunction<std::make_index_sequence<(arity) + 1>>::Type;               \
        static const auto original = next<Original>("mpi_" #fortran "_");                            \
        const auto bytes = fortran_bytes_in<count_place, type_place>(std::array{ARGUMENTS_##arity}); \
        timed(function_##name, bytes, [&] { original(ARGUMENTS_##arity, error); });                  \
    }
#include "functions.def"
#undef PROFILED

int MPI_Finalize() {
    write_profile();
    return PMPI_Finalize();
}

void mpi_finalize_(MPI_Fint* error) {
    write_profile();
    static const auto original = next<void (*)(MPI_Fint*)>("mpi_finalize_");
    original(error);
}
}
#pragma GCC visibility pop
