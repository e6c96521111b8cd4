#include "algorithms/engines/fan_out.h"

#include <algorithm>

namespace strata::algorithms {

int FanOut::feed(std::size_t available) {
    available_ = std::max(available_, available);
    for (bool progress = true; progress;) {
        progress = false;
        for (int stream = first_; stream < first_ + streams_; ++stream) {
            if (!table_.may_start(stream)) {
                continue;
            }
            const Segments& segments = table_.segments(stream);
            const std::size_t segment = table_.next(stream);
            if (const std::size_t end = segments.end(segment); end > available_) {
                if (source_ == nullptr) {
                    continue;
                }
                if (const int code = source_->produce(end); code != 0) {
                    return code;
                }
                available_ = end;
            }
            if (const int code = table_.send_next(stream, data_ + segments.begin(segment)); code != 0) {
                return code;
            }
            progress = true;
        }
    }
    return 0;
}

}  // namespace strata::algorithms
