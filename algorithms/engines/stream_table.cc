#include "algorithms/engines/stream_table.h"

#include <algorithm>

namespace strata::algorithms {

int StreamTable::add(int peer, const Segments& segments, int window) {
    const int slots = static_cast<int>(
        std::min<std::size_t>(static_cast<std::size_t>(std::max(1, window)), segments.count()));
    streams_.push_back({peer, rail_, segments, slot_count_, slots});
    slot_count_ += slots;
    pending_ += segments.count();
    return static_cast<int>(streams_.size()) - 1;
}

int StreamTable::open(Transport::Completion sends) {
    slots_.resize(static_cast<std::size_t>(slot_count_));
    done_.resize(slots_.size());
    for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
        for (int slot = 0; slot < streams_[stream].slots; ++slot) {
            slots_[streams_[stream].first_slot + slot].stream = static_cast<int>(stream);
        }
    }
    sends_ = sends;
    return transport_.begin(slot_count_);
}

int StreamTable::occupy(Stream& stream) {
    int slot = stream.first_slot;
    while (slots_[slot].busy) {
        ++slot;
    }
    slots_[slot].busy = true;
    slots_[slot].segment = stream.started++;
    ++stream.busy;
    return slot;
}

int StreamTable::send_next(int stream, const std::byte* data, std::size_t bytes) {
    Stream& self = streams_[stream];
    const bool fits = self.segments.count() <= static_cast<std::size_t>(self.slots);
    const auto completion = fits ? Transport::Completion::local : sends_;
    return transport_.isend(occupy(self), data, bytes, self.peer, self.rail, completion);
}

int StreamTable::receive_next(int stream, std::byte* data, std::size_t bytes) {
    Stream& self = streams_[stream];
    return transport_.irecv(occupy(self), data, bytes, self.peer, self.rail);
}

std::size_t StreamTable::finished(int stream) const {
    const Stream& self = streams_[stream];
    std::size_t first_missing = self.started;
    for (int slot = self.first_slot; slot < self.first_slot + self.slots; ++slot) {
        if (slots_[slot].busy) {
            first_missing = std::min(first_missing, slots_[slot].segment);
        }
    }
    return first_missing;
}

int StreamTable::wait() {
    int count = 0;
    completed_ = 0;
    if (const int code = transport_.wait_some(done_, count); code != 0) {
        return code;
    }
    completed_ = static_cast<std::size_t>(count);
    pending_ -= completed_;
    for (std::size_t i = 0; i < completed_; ++i) {
        Slot& slot = slots_[done_[i]];
        slot.busy = false;
        --streams_[slot.stream].busy;
        done_[i] = slot.stream;
    }
    return 0;
}

}  // namespace strata::algorithms
