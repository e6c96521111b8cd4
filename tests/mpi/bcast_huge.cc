// Tests messages beyond 2 GiB, in place and packed, and empty messages.
#include <algorithm>
#include <limits>
#include <string>

#include "check.h"
#include "huge_memory.h"

using namespace strata::testing;

namespace {

void contiguous(Session& session, std::size_t bytes, int root) {
    session.at("contiguous, %zu bytes, root %d", bytes, root);
    MPI_Datatype page = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(mib), MPI_BYTE, &page);
    MPI_Type_commit(&page);
    const auto memory = huge_memory(bytes);
    if (session.rank() == root) {
        fill_pattern(memory.get(), bytes, session.seed());
    }
    MPI_Bcast(memory.get(), static_cast<int>(bytes / mib), page, root, MPI_COMM_WORLD);
    session.expect_pattern(memory.get(), bytes, session.seed());
    MPI_Type_free(&page);
}

// Blocks of 1 MiB, with gaps of another size at the root. The root always has gaps: Open MPI 4.1.4 crashes
// in the sender once blocks without gaps exceed 2 GiB in total (2000 MiB pass, 2200 do not).
void strided(Session& session, std::size_t bytes, int root) {
    session.at("strided, %zu bytes, root %d", bytes, root);
    const std::size_t gap = session.rank() == root ? kib : 4 * kib;
    const std::size_t stride = mib + gap;
    const auto blocks = static_cast<int>(bytes / mib);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(blocks, static_cast<int>(mib), static_cast<MPI_Aint>(stride), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    const auto memory = huge_memory(stride * static_cast<std::size_t>(blocks));
    for (int i = 0; i < blocks; ++i) {
        std::uint8_t* block = memory.get() + static_cast<std::size_t>(i) * stride;
        if (session.rank() == root) {
            fill_pattern(block, mib, session.seed(), static_cast<std::size_t>(i) * mib);
        }
        std::fill_n(block + mib, gap, GuardedBuffer::guard_value);
    }
    MPI_Bcast(memory.get(), 1, type, root, MPI_COMM_WORLD);
    for (int i = 0; i < blocks; ++i) {
        std::uint8_t* block = memory.get() + static_cast<std::size_t>(i) * stride;
        session.expect_pattern(block, mib, session.seed(), static_cast<std::size_t>(i) * mib);
        session.expect_untouched(block + mib, gap, GuardedBuffer::guard_value);
    }
    MPI_Type_free(&type);
}

// `mixed`: no items on some ranks, items without data on others. MPI allows it; without the plugin Open MPI
// 4.1.4 hangs, because MPI_Bcast returns early on the ranks with count 0 and the others wait for their
// messages.
void empty(Session& session, bool mixed) {
    session.at("empty messages");
    MPI_Datatype nothing = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    for (int root = 0; root < session.size(); ++root) {
        session.expect(MPI_Bcast(nullptr, 0, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS, "count 0");
        GuardedBuffer buffer(64);
        MPI_Bcast(buffer.data(), std::numeric_limits<int>::max(), nothing, root, MPI_COMM_WORLD);
        session.expect_untouched(buffer.data(), buffer.size(), GuardedBuffer::guard_value);
        if (mixed) {
            const bool no_items = session.rank() % 2 == 0;
            MPI_Bcast(buffer.data(), no_items ? 0 : 1000, no_items ? MPI_INT : nothing, root, MPI_COMM_WORLD);
            session.expect_untouched(buffer.data(), buffer.size(), GuardedBuffer::guard_value);
        }
    }
    MPI_Type_free(&nothing);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::size_t bytes = static_cast<std::size_t>(session.number("--mib", 3072)) * mib;
    const std::string layout = session.option("--layout", "contiguous");
    const bool is_contiguous = layout == "contiguous";
    const bool only_empty = session.flag("--only-empty");
    const bool mixed_empty = session.flag("--mixed-empty");
    session.reject_other_arguments();
    if (!is_contiguous && layout != "strided") {
        session.fail("--layout: contiguous or strided, not '%s'", layout.c_str());
        return session.finish();
    }
    empty(session, mixed_empty);
    if (only_empty) {
        return session.finish();
    }
    // One buffer per rank, one more where the library packs, and a reserve.
    const std::size_t needed =
        (is_contiguous ? 1 : 2) * bytes * static_cast<std::size_t>(session.size()) + gib;
    if (session.agree(available_bytes() >= needed ? 1 : 0) == 0) {
        return session.skip(("needs " + std::to_string(needed / mib) + " MiB of free memory").c_str());
    }
    if (is_contiguous) {
        contiguous(session, bytes, session.size() - 1);
    } else {
        strided(session, bytes, 0);
    }
    return session.finish();
}
