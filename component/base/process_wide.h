#pragma once
#include <array>
#include <cstddef>
#include <memory>

namespace strata::component {

/// An object that a process has once, without a destructor at exit(): an exit handler that was registered
/// before MPI_Init runs after all later destructors, and may call MPI_Finalize.
class ProcessWideBase {
public:
    ProcessWideBase(const ProcessWideBase&) = delete;
    ProcessWideBase& operator=(const ProcessWideBase&) = delete;

    /// Destroys and reconstructs all objects, the youngest first. Called when the component opens and closes.
    static void renew_all() noexcept;

protected:
    using Renew = void (*)(ProcessWideBase&);
    explicit ProcessWideBase(Renew renew) noexcept;
    ~ProcessWideBase() = default;

private:
    Renew renew_;
    ProcessWideBase* older_;
};

/// A T that is constructed at its first use. Declare it only as a static variable of a function.
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
