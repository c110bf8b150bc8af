/** Ends a process with all that it has started, which is in its process group. `SIGTERM` asks them to end by themselves. */
export function killGroup(pid: number, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended in this moment.
  }
}
