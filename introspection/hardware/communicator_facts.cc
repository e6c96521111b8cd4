#include "communicator_facts.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <string>

#include "own_place.h"

namespace strata::introspection {
namespace {

/// Frees `key` in MPI_Finalize: MPI_COMM_SELF's attributes are deleted before all others.
void free_at_the_end(int& key) {
    const auto free = [](MPI_Comm, int, void* given, void*) {
        return MPI_Comm_free_keyval(static_cast<int*>(given));
    };
    int end = MPI_KEYVAL_INVALID;
    require(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free, &end, nullptr));
    const int code = MPI_Comm_set_attr(MPI_COMM_SELF, end, &key);
    MPI_Comm_free_keyval(&end);
    require(code);
}

/// A value kept with a communicator and its duplicates. Uses attributes, because Open MPI drops unknown
/// info keys.
template <class Value>
class Attribute {
public:
    static Value* find(MPI_Comm comm) {
        void* value = nullptr;
        int found = 0;
        require_handled(MPI_Comm_get_attr(comm, key(), &value, &found));
        return found != 0 ? static_cast<Value*>(value) : nullptr;
    }

    static void set(MPI_Comm comm, Value value) {
        auto kept = std::make_unique<Value>(std::move(value));
        require_handled(MPI_Comm_set_attr(comm, key(), kept.get()));
        kept.release();  // owned by forget() now
    }

private:
    static int key() {
        static std::mutex mutex;
        static int made = MPI_KEYVAL_INVALID;
        const std::lock_guard lock(mutex);
        if (made == MPI_KEYVAL_INVALID) {
            require(MPI_Comm_create_keyval(copy, forget, &made, nullptr));
            free_at_the_end(made);
        }
        return made;
    }

    static int copy(MPI_Comm, int, void*, void* value, void* made, int* flag) noexcept {
        try {
            *static_cast<void**>(made) = new Value(*static_cast<Value*>(value));
            *flag = 1;
            return MPI_SUCCESS;
        } catch (const std::exception&) {
            return MPI_ERR_NO_MEM;
        }
    }

    static int forget(MPI_Comm, int, void* value, void*) noexcept {
        delete static_cast<Value*>(value);
        return MPI_SUCCESS;
    }
};

using KeptMembers = std::shared_ptr<const Members>;

/// Returns the encoded record; empty, with the reason in `complaint`, if the location cannot be
/// determined.
std::vector<std::byte> own_bytes(OwnObjects& objects, std::string& complaint) {
    try {
        OwnPlace own = own_place();
        objects = own.objects;
        return topology::encode(own.record);
    } catch (const std::exception& error) {
        complaint = error.what();
        return {};
    }
}

/// Encodes a complaint in place of a record's length: negative, and equal for equal complaints.
int code_of(const std::string& complaint) {
    return -1 - static_cast<int>(topology::stable_hash(complaint) % std::numeric_limits<int>::max());
}

/// Prints each complaint once, on the lowest rank that has it. Collective.
void complain(MPI_Comm comm, const std::vector<int>& lengths, const std::string& complaint) {
    int rank = 0;
    require_handled(MPI_Comm_rank(comm, &rank));
    const auto own = lengths.begin() + rank;
    if (*own < 0 && std::find(lengths.begin(), own, *own) == own) {
        // Not MPI_Get_processor_name(), which may fail: no rank may leave before the barrier.
        char host[HOST_NAME_MAX + 1] = "";
        if (gethostname(host, sizeof host - 1) != 0) host[0] = '?';
        const auto others = std::count(own + 1, lengths.end(), *own);
        std::fprintf(stderr, "strata-introspection: %s (rank %d on %s, and %d more)\n", complaint.c_str(),
                     rank, host, static_cast<int>(others));
    }
    // The error that follows may end the job: print before any rank gets there.
    require_handled(MPI_Barrier(comm));
}

Records exchanged(MPI_Comm comm, OwnObjects& objects) {
    std::string complaint;
    const std::vector<std::byte> own = own_bytes(objects, complaint);
    const int length = own.empty() ? code_of(complaint) : static_cast<int>(own.size());
    int size = 0;
    require_handled(MPI_Comm_size(comm, &size));
    std::vector<int> lengths(static_cast<std::size_t>(size));
    require_handled(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm));
    if (std::any_of(lengths.begin(), lengths.end(), [](int each) { return each < 0; })) {
        complain(comm, lengths, complaint);
        throw MpiError{MPI_ERR_OTHER};
    }
    std::vector<int> starts;
    int total = 0;
    for (const int each : lengths) {
        starts.push_back(total);
        total += each;
    }
    std::vector<std::byte> all(static_cast<std::size_t>(total));
    require_handled(MPI_Allgatherv(own.data(), length, MPI_BYTE, all.data(), lengths.data(), starts.data(),
                                   MPI_BYTE, comm));
    Records records(lengths.size());
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        const std::span<const std::byte> bytes(all.data() + starts[rank],
                                               static_cast<std::size_t>(lengths[rank]));
        if (!topology::decode(bytes, records[rank])) throw MpiError{MPI_ERR_INTERN};
    }
    return records;
}

/// As in hierarchies, the greatest path counts for all processes of a node; set here once for all parts.
void agree_on_switches(Records& records) {
    std::map<std::uint64_t, std::vector<std::uint32_t>> path_of_node;
    for (const auto& record : records) {
        auto& path = path_of_node[record.node_id];
        path = std::max(path, record.network_path);
    }
    for (auto& record : records) record.network_path = path_of_node[record.node_id];
}

/// Returns fabric if any process knows its distance to a fabric NIC, else ip.
topology::NicUse use_of(const Records& records) {
    const bool fabric =
        std::any_of(records.begin(), records.end(), [](const topology::LocalityRecord& record) {
            return record.near(topology::NicUse::fabric).distance != topology::unknown_distance;
        });
    return fabric ? topology::NicUse::fabric : topology::NicUse::ip;
}

/// Returns the ranks in `parent` of all members of `comm`, by rank.
std::vector<int> ranks_in(MPI_Comm parent, MPI_Comm comm) {
    int size = 0;
    require_handled(MPI_Comm_size(comm, &size));
    std::vector<int> own(static_cast<std::size_t>(size));
    std::vector<int> ranks(own.size());
    std::iota(own.begin(), own.end(), 0);
    MPI_Group from = MPI_GROUP_NULL;
    MPI_Group to = MPI_GROUP_NULL;
    require_handled(MPI_Comm_group(comm, &from));
    int code = MPI_Comm_group(parent, &to);
    if (code == MPI_SUCCESS) {
        code = MPI_Group_translate_ranks(from, size, own.data(), to, ranks.data());
        MPI_Group_free(&to);
    }
    MPI_Group_free(&from);
    require_handled(code);
    return ranks;
}

}  // namespace

void require(int code) {
    if (code != MPI_SUCCESS) throw MpiError{code};
}

void require_handled(int code) {
    if (code != MPI_SUCCESS) throw MpiError{code, true};
}

std::shared_ptr<const Members> members_of(MPI_Comm comm) {
    if (const KeptMembers* kept = Attribute<KeptMembers>::find(comm)) return *kept;
    auto members = std::make_shared<Members>();
    members->records = exchanged(comm, members->objects);
    agree_on_switches(members->records);
    members->heights = std::make_shared<const SwitchHeights>(members->records);
    members->use = use_of(members->records);
    Attribute<KeptMembers>::set(comm, members);
    return members;
}

std::shared_ptr<const Records> records_of(MPI_Comm comm) {
    auto members = members_of(comm);
    return {members, &members->records};
}

void keep_members(MPI_Comm comm, MPI_Comm parent, const Members& members) {
    auto kept = std::make_shared<Members>(Members{{}, members.heights, members.use, members.objects});
    for (const int rank : ranks_in(parent, comm)) {
        kept->records.push_back(members.records[static_cast<std::size_t>(rank)]);
    }
    Attribute<KeptMembers>::set(comm, std::move(kept));
}

void keep_level(MPI_Comm comm, const LevelFacts& facts) { Attribute<LevelFacts>::set(comm, facts); }

const LevelFacts* level_of(MPI_Comm comm) { return Attribute<LevelFacts>::find(comm); }

}  // namespace strata::introspection
