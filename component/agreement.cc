#include "agreement.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

#include "last_resort.h"
#include "messages.h"
#include "process_wide.h"

namespace strata::component {
namespace {

// Not mca_base_component_to_string(): that key carries the version, and another version has to be seen as
// such.
constexpr const char* record_key = "coll.strata.record";

struct Peer {
    bool present = false;
    bool readable = false;
    topology::RecordPrefix prefix;
    topology::LocalityRecord record;
};

std::uint64_t id_of(const opal_process_name_t& name) {
    return (static_cast<std::uint64_t>(name.jobid) << 32) | name.vpid;
}

/// What was read once per process, for all communicators.
class Peers {
public:
    const Peer& of(const opal_process_name_t& name) {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto [place, isnew] = known_.try_emplace(id_of(name));
        if (isnew) {
            try {
                place->second = read(name);
            } catch (...) {
                known_.erase(place);
                throw;
            }
        }
        return place->second;
    }

private:
    static Peer read(const opal_process_name_t& name) {
        Peer peer;
        std::vector<std::byte> bytes;
        switch (compat::lookup(name, record_key, bytes)) {
            case compat::Lookup::failed: throw std::runtime_error("published data cannot be read");
            case compat::Lookup::missing: return peer;
            case compat::Lookup::found: break;
        }
        peer.present = topology::decode_prefix(bytes, peer.prefix);
        peer.readable = peer.present && topology::decode(bytes, peer.record);
        return peer;
    }
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, Peer> known_;
};

Peers& peers() {
    static ProcessWide<Peers> all;
    return all.get();
}

/// In what a peer differs from the first one: the gravest reason that there is. Seen alike from every rank,
/// with any version of the plugin that reads the prefix.
std::optional<ForwardReason> difference(const Peer& peer, const Peer& first) {
    if (!peer.present) {
        return ForwardReason::missing;
    }
    if (peer.prefix.plugin_version != first.prefix.plugin_version ||
        peer.prefix.format != first.prefix.format || !peer.readable) {
        return ForwardReason::version;
    }
    if (peer.prefix.settings_hash != first.prefix.settings_hash) {
        return ForwardReason::settings;
    }
    return std::nullopt;
}

/// The gravest difference among `count` peers.
template <class PeerAt>
std::optional<ForwardReason> gravest_difference(std::uint32_t count, PeerAt&& peer_at) {
    static_assert(ForwardReason::missing < ForwardReason::version &&
                  ForwardReason::version < ForwardReason::settings);
    const Peer& first = peer_at(0);
    std::optional<ForwardReason> gravest;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (const auto reason = difference(peer_at(i), first)) {
            gravest = std::min(*reason, gravest.value_or(*reason));
        }
    }
    return gravest;
}

/// Says what differs in the job: the lowest process that has the plugin looks at all others.
void report_differences() {
    if (!compat::exchange_is_complete()) {
        return;  // this process has neither published nor received anything: not the one to judge
    }
    opal_process_name_t name = compat::own_name();
    const std::uint32_t own = name.vpid;
    for (name.vpid = 0; name.vpid < own; ++name.vpid) {
        if (peers().of(name).present) {
            return;
        }
    }
    const auto peer_at = [job = name.jobid](std::uint32_t process) -> const Peer& {
        return peers().of({job, process});
    };
    const auto gravest = gravest_difference(compat::own_job_size(), peer_at);
    if (!gravest) {
        return;
    }
    std::vector<std::uint32_t> different;
    for (std::uint32_t process = 0; process < compat::own_job_size(); ++process) {
        if (difference(peer_at(process), peer_at(0)) == gravest) {
            different.push_back(process);
        }
    }
    name.vpid = 0;
    const std::string reference = compat::node_names(name, {name.vpid});
    const std::string node = compat::node_names(name, different);
    switch (*gravest) {
        case ForwardReason::missing: show_missing(node); break;
        case ForwardReason::version: show_other_version(node, reference); break;
        default: show_other_settings(node, reference); break;
    }
}

/// The same once; no communicator depends on it.
void report_once() noexcept {
    static std::atomic<bool> done{false};
    if (done.exchange(true)) {
        return;
    }
    try {
        report_differences();
    } catch (...) {
        done = false;  // the next communicator tries again
    }
}

}  // namespace

void publish_record(const topology::LocalityRecord& record) {
    if (compat::exchange_is_complete()) {
        const auto bytes = topology::encode(record);
        compat::publish(record_key, bytes);
    }
}

void tell_of_node() {
    if (compat::exchange_is_complete()) {
        compat::tell_of_node(record_key);
    }
}

void receive_records() {
    if (compat::exchange_is_complete()) {
        compat::receive_of_nodes(record_key);
    }
}

namespace {

std::optional<ForwardReason> difference_in(ompi_communicator_t* comm) {
    const auto ranks = static_cast<std::uint32_t>(ompi_comm_size(comm));
    const auto first = ompi_group_get_proc_name(comm->c_local_group, 0);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        // Another job's data may have reached some of us and not others: nothing to agree on.
        if (ompi_group_get_proc_name(comm->c_local_group, static_cast<int>(rank)).jobid != first.jobid) {
            return ForwardReason::several_jobs;
        }
    }
    return gravest_difference(ranks, [comm](std::uint32_t rank) -> const Peer& {
        return peers().of(ompi_group_get_proc_name(comm->c_local_group, static_cast<int>(rank)));
    });
}

}  // namespace

std::optional<ForwardReason> find_difference(ompi_communicator_t* comm) noexcept {
    report_once();
    constexpr int tries = 3;
    for (int i = 0; i < tries; ++i) {
        try {
            return difference_in(comm);
        } catch (...) {
            reserve().give_back();  // so that the next try may find some
        }
    }
    end_job(comm, "it cannot read what the processes have published about themselves");
}

std::uint64_t known_node_of(ompi_communicator_t* comm, int rank) {
    return peers().of(ompi_group_get_proc_name(comm->c_local_group, rank)).record.node_id;
}

std::vector<topology::LocalityRecord> records_of(ompi_communicator_t* comm) {
    std::vector<topology::LocalityRecord> records;
    records.reserve(static_cast<std::size_t>(ompi_comm_size(comm)));
    for (int rank = 0; rank < ompi_comm_size(comm); ++rank) {
        records.push_back(peers().of(ompi_group_get_proc_name(comm->c_local_group, rank)).record);
    }
    return records;
}

}  // namespace strata::component
