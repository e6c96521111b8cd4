#pragma once
#include <array>
#include <cstddef>
#include <memory>

namespace strata::component {

/// What the process has once. Nothing destroys it at exit(): a handler that was there before MPI_Init runs
/// after the destructors of all that came later, and may call MPI_Finalize.
class ProcessWideBase {
public:
    ProcessWideBase(const ProcessWideBase&) = delete;
    ProcessWideBase& operator=(const ProcessWideBase&) = delete;

    /// Gives back what all of them hold, the youngest first; they are as new then. When the component closes.
    static void renew_all() noexcept;

protected:
    using Renew = void (*)(ProcessWideBase&);
    explicit ProcessWideBase(Renew renew) noexcept;
    ~ProcessWideBase() = default;

private:
    Renew renew_;
    ProcessWideBase* older_;
};

/// A T that is made with its first use: a static variable of a function, no other.
template <class T>
class ProcessWide : public ProcessWideBase {
public:
    ProcessWide() : ProcessWideBase(renew) { std::construct_at(&get()); }
    T& get() { return *reinterpret_cast<T*>(memory_.data()); }

private:
    static void renew(ProcessWideBase& one) {
        T& value = static_cast<ProcessWide&>(one).get();
        std::destroy_at(&value);
        std::construct_at(&value);
    }

    alignas(T) std::array<std::byte, sizeof(T)> memory_;
};

}  // namespace strata::component
