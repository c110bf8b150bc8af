/** Ends a process with all that it has started, which is in its process group. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended in this moment.
  }
}
