#include "summa_grid.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "topology/text.h"

namespace strata::simulation {
namespace {

/// Splits `ranks` into N groups of neighbours of nearly equal size, in Ranks::seen_as()'s grammar.
std::string neighbours(int ranks, int groups) {
    std::string view;
    for (int group = 0; group < groups; ++group) {
        const int first = ranks * group / groups;
        const int last = ranks * (group + 1) / groups - 1;
        if (last < first) continue;
        view += (view.empty() ? "[" : "+[") + std::to_string(first) + ".." + std::to_string(last) + "]";
    }
    return view;
}

std::string name_for(const std::string& contender, int ranks) {
    constexpr std::string_view word = "@groups:";
    const std::size_t at = contender.find(word);
    if (at == std::string::npos) return contender;
    const auto groups = topology::whole_number<int>(contender.substr(at + word.size()));
    if (!groups || *groups < 1)
        throw std::invalid_argument("contender '" + contender + "': no number of groups");
    return contender.substr(0, at + 1) + neighbours(ranks, *groups);
}

/// Open MPI's messages make no connections here.
void insist_on_own_messages(Line& line, std::size_t bytes, const std::string& name) {
    for (int root = 0; root < line.ranks.size(); ++root) {
        const Call call{algorithms::Collective::bcast, bytes, root};
        if (line.contender.is_mpi() || line.contender.plan(call).engine == algorithms::Engine::forward) {
            throw std::invalid_argument(
                "contender '" + name +
                "': --connect-us does not count connections of calls that are passed through");
        }
    }
}

}  // namespace

Line::Line(const SummaStudy& study, const std::string& name, const Machine& machine, Ranks of_line)
    : ranks(std::move(of_line)),
      traffic(ranks.hierarchy()),
      connections(ranks.hierarchy(), study.connect_us),
      contender(name_for(name, ranks.size()), machine, ranks) {
    contender.insist_on({algorithms::Collective::bcast, study.block_bytes});
}

Lines::Lines(const SummaStudy& study, const std::string& name, const Machine& machine, const Ranks& ranks,
             Cut of)
    : cut(of) {
    const auto add = [&](std::deque<Line>& to, int line, int first, int apart, int size, int blocks) {
        std::vector<int> members;
        for (int i = 0; i < size; ++i) members.push_back(cut.rank(line, first + i * apart));
        to.emplace_back(study, name, machine, ranks.subset(members));
        const std::size_t bytes = study.block_bytes * static_cast<std::size_t>(blocks);
        if (study.connect_us > 0) insist_on_own_messages(to.back(), bytes, name);
    };
    for (int line = 0; line < cut.lines; ++line) {
        for (int group = 0; group < cut.groups(); ++group)
            add(inside, line, group * cut.group, 1, cut.group, 1);
        for (int place = 0; place < cut.group && cut.groups() > 1; ++place)
            add(across, line, place, cut.group, cut.groups(), study.outer);
    }
}

LinePart::LinePart(MPI_Comm all, int number, Line& line, const Machine& machine) : line_(line) {
    int rank = 0;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_split(all, number, rank, &comm_);
    part_.emplace(comm_, machine, std::span<std::byte>(), line.traffic);
    if (line.contender.is_mpi()) part_->warm_up();
    part_->transport().connect_by(line.connections);
}

LinePart::~LinePart() {
    part_.reset();
    MPI_Comm_free(&comm_);
}

bool LinePart::broadcast(std::span<double> data, int root) {
    if (line_.ranks.size() < 2) return true;
    const Call call{algorithms::Collective::bcast, data.size_bytes(), root};
    part_->prepare(call);
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    if (rank == root) std::memcpy(part_->vector(), data.data(), data.size_bytes());
    if (part_->perform(line_.contender, call) != MPI_SUCCESS) throw std::runtime_error("a broadcast failed");
    std::memcpy(data.data(), part_->vector(), data.size_bytes());
    return !part_->carried_nothing();
}

LinesPart::LinesPart(MPI_Comm all, Lines& lines, const Machine& machine) : cut_(lines.cut) {
    int rank = 0;
    MPI_Comm_rank(all, &rank);
    const int line = rank / cut_.rank_of_line % cut_.lines;
    place_ = rank / cut_.rank_of_place % cut_.places;
    const int group = line * cut_.groups() + place_ / cut_.group;
    const int alike = line * cut_.group + place_ % cut_.group;
    inside_.emplace(all, group, lines.inside[static_cast<std::size_t>(group)], machine);
    if (cut_.groups() > 1)
        across_.emplace(all, alike, lines.across[static_cast<std::size_t>(alike)], machine);
}

bool LinesPart::across_groups(std::span<double> outer_block, int step) {
    if (!across_ || place_ % cut_.group != step % cut_.group) return true;
    return across_->broadcast(outer_block, step / cut_.group);
}

bool LinesPart::inside_group(std::span<double> block, int step) {
    return inside_->broadcast(block, step % cut_.group);
}

}  // namespace strata::simulation
