// Whole files that survive a crash: afterwards there is either the old content or the new one under the name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/checkpoint/file_system.hpp"

namespace spar::checkpoint {

/// Writes `pieces`, one behind the other, to a temporary beside `file`, syncs and closes it, reads it back, renames it
/// to `file` and syncs the directory. Reading back comes before the rename: what was at `file` is only ever replaced by
/// something proven. Throws E0504 with the failed step, the system's reason and a remedy; then the temporary is deleted
/// if that is still possible, and `file` is as before (or, if only the directory could not be synced, new).
/// `what` names the file in messages: "checkpoint", "manifest".
void write_durably(FileSystem& files, const FileSystem::Path& file, std::span<const std::span<const std::byte>> pieces,
                   const std::string& what);
void write_durably(FileSystem& files, const FileSystem::Path& file, std::string_view text, const std::string& what);

/// A file of a directory and all of its text.
struct NamedText {
  std::string name;
  std::string text;
};

/// The same for several files of one directory, for the price of one sync of the directory: all are proven before the
/// first is renamed. They are renamed in their order, so who finds the last one finds all.
void write_durably(FileSystem& files, const FileSystem::Path& directory, std::span<const NamedText> texts,
                   const std::string& what);

/// Temporaries are named ".NAME.tmp".
bool is_temporary(std::string_view name);

/// Deletes temporaries that a killed process left. Only for whoever holds the lock of the run.
void sweep_temporaries(FileSystem& files, const FileSystem::Path& directory);

/// Makes the directory and what is missing above it, durably. Throws E0504.
void make_directories(FileSystem& files, const FileSystem::Path& directory);
/// Makes the name of a directory durable that was made without. Throws E0504.
void sync_parent(FileSystem& files, const FileSystem::Path& directory);

/// "4.2 MB": for messages.
std::string bytes_text(int64_t bytes);

}  // namespace spar::checkpoint
