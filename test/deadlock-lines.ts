/** What servers under test logged of deadlocks: which statement waited for what. */
export const deadlockLines: string[] = []

/** Keeps those lines of a log, and no others. */
export const keepDeadlocks = {
  write(line: string): void {
    if (line.includes('"deadlock"')) deadlockLines.push(line)
  },
}
