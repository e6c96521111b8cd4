// Tests that the plugin leaves collectives of intercommunicators alone, between calls on the sides' own
// communicators and on the merged one.
#include <vector>

#include "check.h"
#include "collective_cases.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

constexpr int block = 700;  // ints per rank

/// One rank's view of an intercommunicator. The sides' data differ.
class Sides {
public:
    Sides(Session& session, MPI_Comm inter, bool low, std::uint64_t key)
        : session_(session), inter_(inter), low_(low), key_(key) {
        MPI_Comm_rank(inter, &rank_);
        MPI_Comm_size(inter, &size_);
        MPI_Comm_remote_size(inter, &remote_);
    }

    void all() {
        session_.at("intercommunicator: Allgather");
        std::vector<int> theirs(static_cast<std::size_t>(remote_) * block, -1);
        MPI_Allgather(own().data(), block, MPI_INT, theirs.data(), block, MPI_INT, inter_);
        session_.expect(theirs == all_of(!low_, remote_), "Allgather: not the other side's data");

        session_.at("intercommunicator: Allreduce");
        std::vector<int> sums(block, -1);
        MPI_Allreduce(own().data(), sums.data(), block, MPI_INT, MPI_SUM, inter_);
        session_.expect(sums == sum_of(!low_, remote_), "Allreduce: not the other side's sum");

        session_.at("intercommunicator: Barrier");
        MPI_Barrier(inter_);

        for (const bool root_is_low : {true, false}) {
            const int root = (root_is_low == low_ ? size_ : remote_) - 1;
            session_.at("intercommunicator: rooted collectives, root %d of the %s side", root,
                        root_is_low ? "low" : "high");
            reduce(root_is_low == low_, root);
            gather(root_is_low == low_, root);
            scatter(root_is_low == low_, root);
        }
    }

private:
    std::vector<int> data_of(bool low, int rank) const {
        Random random(mix(key_, low ? 1 : 2, rank));
        std::vector<int> data(block);
        for (int& value : data) {
            value = static_cast<int>(random.between(-100000, 100000));
        }
        return data;
    }
    std::vector<int> own() const { return data_of(low_, rank_); }

    std::vector<int> all_of(bool low, int ranks) const {
        std::vector<int> all;
        for (int rank = 0; rank < ranks; ++rank) {
            const std::vector<int> one = data_of(low, rank);
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }

    std::vector<int> sum_of(bool low, int ranks) const {
        std::vector<int> sums(block, 0);
        for (int rank = 0; rank < ranks; ++rank) {
            const std::vector<int> one = data_of(low, rank);
            for (std::size_t i = 0; i < sums.size(); ++i) {
                sums[i] += one[i];
            }
        }
        return sums;
    }

    int argument(bool root_side, int root) const {
        return !root_side ? root : rank_ == root ? MPI_ROOT : MPI_PROC_NULL;
    }

    void reduce(bool root_side, int root) {
        std::vector<int> sums(block, -1);
        MPI_Reduce(own().data(), sums.data(), block, MPI_INT, MPI_SUM, argument(root_side, root), inter_);
        const bool is_root = root_side && rank_ == root;
        session_.expect(sums == (is_root ? sum_of(!low_, remote_) : std::vector<int>(block, -1)),
                        "Reduce: not the other side's sum, or written where no root is");
    }

    void gather(bool root_side, int root) {
        const std::size_t total = static_cast<std::size_t>(remote_) * block;
        std::vector<int> theirs(total, -1);
        MPI_Gather(own().data(), block, MPI_INT, theirs.data(), block, MPI_INT, argument(root_side, root),
                   inter_);
        const bool is_root = root_side && rank_ == root;
        session_.expect(theirs == (is_root ? all_of(!low_, remote_) : std::vector<int>(total, -1)),
                        "Gather: not the other side's data, or written where no root is");
    }

    void scatter(bool root_side, int root) {
        const std::vector<int> given = all_of(!low_, remote_);  // data of its root for the other side
        std::vector<int> mine(block, -1);
        MPI_Scatter(given.data(), block, MPI_INT, mine.data(), block, MPI_INT, argument(root_side, root),
                    inter_);
        session_.expect(mine == (root_side ? std::vector<int>(block, -1) : own()),
                        "Scatter: not this rank's block, or written at the root's side");
    }

    Session& session_;
    MPI_Comm inter_;
    bool low_;
    std::uint64_t key_;
    int rank_ = 0;
    int size_ = 1;
    int remote_ = 1;
};

void cases_on(Session& session, MPI_Comm comm, const Operators& operators, std::uint64_t key) {
    Random common(key);
    for (int i = 0; i < 6; ++i) {
        const CollectiveCase what =
            random_case(common, session.size(), operators, {all_collectives(), 60000});
        session.at("beside an intercommunicator: %s", describe(what, operators).c_str());
        run_case(session, comm, what, operators);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    session.reject_other_arguments();
    if (session.size() < 2) {
        return session.skip("needs two ranks");
    }
    {
        const Operators operators(session);
        for (int low_ranks = 1; low_ranks < session.size(); low_ranks += 1 + session.size() / 4) {
            const bool low = session.rank() < low_ranks;
            const std::uint64_t key = mix(session.seed(), low_ranks);
            MPI_Comm side = MPI_COMM_NULL;
            MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, session.rank(), &side);
            MPI_Comm inter = MPI_COMM_NULL;
            MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, low ? low_ranks : 0, 5, &inter);
            Sides sides(session, inter, low, key);
            sides.all();
            cases_on(session, side, operators, mix(key, low ? 1 : 2));
            MPI_Comm merged = MPI_COMM_NULL;
            MPI_Intercomm_merge(inter, low ? 1 : 0, &merged);
            cases_on(session, merged, operators, mix(key, 3));
            sides.all();
            MPI_Comm_free(&side);  // the others stay
            sides.all();
            MPI_Comm_free(&inter);
            cases_on(session, merged, operators, mix(key, 4));
            MPI_Comm_free(&merged);
        }
    }
    return session.finish();
}
