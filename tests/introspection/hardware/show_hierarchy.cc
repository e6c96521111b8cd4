// show_hierarchy [--strata-roots VALUE] [--at-once] [--split TYPE]
//
// Every process goes down the hierarchy of MPI_COMM_WORLD; rank 0 prints one line per process and step:
//   step S rank R type T of N index I members A,B,... roots C,D,...
// with "-" for what is MPI_COMM_NULL. With --split: only by this type.
#include <MPIX_Hardware.h>
#include <mpi.h>

#include <cstdio>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Ranks in MPI_COMM_WORLD of all members.
std::string members_of(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) return "-";
    MPI_Group world;
    MPI_Group group;
    int size = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(comm, &group);
    MPI_Group_size(group, &size);
    std::vector<int> own(static_cast<std::size_t>(size));
    std::vector<int> in_world(own.size());
    std::iota(own.begin(), own.end(), 0);
    MPI_Group_translate_ranks(group, size, own.data(), world, in_world.data());
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    std::string text;
    for (const int rank : in_world) text += (text.empty() ? "" : ",") + std::to_string(rank);
    return text;
}

std::string line(int step, MPI_Comm child, MPI_Comm roots) {
    int rank = 0;
    int siblings = 0;
    int index = 0;
    char* type = nullptr;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::ostringstream out;
    out << "step " << step << " rank " << rank;
    if (child != MPI_COMM_NULL) {
        MPIX_Comm_get_hlevel_info(child, &siblings, &index, &type);
        out << " type " << type << " of " << siblings << " index " << index;
    } else {
        out << " type - of - index -";
    }
    out << " members " << members_of(child) << " roots " << members_of(roots) << '\n';
    return out.str();
}

std::string lines_step_by_step(MPI_Info info) {
    std::string text;
    MPI_Comm parent = MPI_COMM_WORLD;
    for (int step = 1; parent != MPI_COMM_NULL; ++step) {
        MPI_Comm child;
        MPI_Comm roots;
        MPI_Comm again;
        MPIX_Comm_hsplit_with_roots(parent, info, &child, &roots);
        MPIX_Comm_hsplit(parent, info, &again);
        if (members_of(again) != members_of(child))
            text += "MPIX_Comm_hsplit gives " + members_of(again) + '\n';
        text += line(step, child, roots);
        parent = child;  // not freed: MPI_Finalize has to cope
    }
    return text;
}

std::string lines_at_once(MPI_Info info) {
    int levels = 0;
    MPI_Comm* children = nullptr;
    MPI_Comm* roots = nullptr;
    MPIX_Comm_hierarchy(MPI_COMM_WORLD, info, &levels, &children, &roots);
    std::string text;
    for (int i = 0; i < levels; ++i) text += line(i + 1, children[i], roots[i]);
    if (levels == 0 || children[levels - 1] != MPI_COMM_NULL) {
        text += line(levels + 1, MPI_COMM_NULL, MPI_COMM_NULL);  // as step by step
    }
    MPIX_Comm_hierarchy_free(levels, &children, &roots);
    return text;
}

void print_in_order(const std::string& own) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0) {
        MPI_Send(own.data(), static_cast<int>(own.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        return;
    }
    std::fputs(own.c_str(), stdout);
    for (int from = 1; from < size; ++from) {
        MPI_Status status;
        int length = 0;
        MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        std::string text(static_cast<std::size_t>(length), ' ');
        MPI_Recv(text.data(), length, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::fputs(text.c_str(), stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Info info;
    MPI_Info_create(&info);
    bool at_once = false;
    std::string type;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--strata-roots" && i + 1 < argc) MPI_Info_set(info, "strata_roots", argv[++i]);
        if (option == "--strata-levels" && i + 1 < argc) MPI_Info_set(info, "strata_levels", argv[++i]);
        if (option == "--at-once") at_once = true;
        if (option == "--split" && i + 1 < argc) type = argv[++i];
    }
    if (type.empty()) {
        print_in_order(at_once ? lines_at_once(info) : lines_step_by_step(info));
    } else {
        int rank = 0;
        MPI_Comm made;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Info_set(info, "mpi_hw_resource_type", type.c_str());
        MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_HW_GUIDED, -rank, info, &made);
        print_in_order(line(1, made, MPI_COMM_NULL));
    }
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
