#include "agreement.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

#include "messages.h"

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
    static Peers all;
    return all;
}

struct Difference {
    ForwardReason reason = ForwardReason::missing;
    std::vector<std::uint32_t> members;  // those that differ, by place in the list
};

/// The members that differ from the first one, by the gravest reason that there is. Seen alike from every
/// rank, with any version of the plugin that reads the prefix.
bool find_difference(const std::vector<const Peer*>& members, Difference& found) {
    const auto any_that = [&](auto&& differs, ForwardReason reason) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (differs(*members[i])) {
                found.members.push_back(static_cast<std::uint32_t>(i));
            }
        }
        found.reason = reason;
        return !found.members.empty();
    };
    if (any_that([](const Peer& peer) { return !peer.present; }, ForwardReason::missing)) {
        return true;
    }
    const topology::RecordPrefix& first = members[0]->prefix;
    const auto other_version = [&](const Peer& peer) {
        return peer.prefix.plugin_version != first.plugin_version || peer.prefix.format != first.format ||
               !peer.readable;
    };
    return any_that(other_version, ForwardReason::version) ||
           any_that([&](const Peer& peer) { return peer.prefix.settings_hash != first.settings_hash; },
                    ForwardReason::settings);
}

/// Says once per job what differs in it: the lowest process that has the plugin looks at all others.
void report_once() {
    static std::once_flag once;
    std::call_once(once, [] {
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
        std::vector<const Peer*> members;
        for (name.vpid = 0; name.vpid < compat::own_job_size(); ++name.vpid) {
            members.push_back(&peers().of(name));
        }
        Difference difference{};
        if (!find_difference(members, difference)) {
            return;
        }
        name.vpid = 0;
        const std::string reference = compat::node_names(name, {name.vpid});
        const std::string node = compat::node_names(name, difference.members);
        switch (difference.reason) {
            case ForwardReason::missing: show_missing(node); break;
            case ForwardReason::version: show_other_version(node, reference); break;
            default: show_other_settings(node, reference); break;
        }
    });
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

Agreement agree(ompi_communicator_t* comm) {
    report_once();
    Agreement agreement;
    const int size = ompi_comm_size(comm);
    std::vector<const Peer*> members(size);
    const auto first = ompi_group_get_proc_name(comm->c_local_group, 0);
    for (int rank = 0; rank < size; ++rank) {
        // Another job's data may have reached some of us and not others: nothing to agree on.
        if (ompi_group_get_proc_name(comm->c_local_group, rank).jobid != first.jobid) {
            agreement.reason = ForwardReason::several_jobs;
            return agreement;
        }
    }
    for (int rank = 0; rank < size; ++rank) {
        members[rank] = &peers().of(ompi_group_get_proc_name(comm->c_local_group, rank));
    }
    Difference difference{};
    if (find_difference(members, difference)) {
        agreement.reason = difference.reason;
        return agreement;
    }
    agreement.agreed = true;
    agreement.records.reserve(members.size());
    for (const Peer* peer : members) {
        agreement.records.push_back(peer->record);
    }
    return agreement;
}

}  // namespace strata::component
