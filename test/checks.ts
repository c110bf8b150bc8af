/** Looks at what the tests of a file did to the servers of its worker. @returns what is wrong, in words. */
type Check = () => readonly string[] | Promise<readonly string[]>

const checks = new Set<Check>()

/** Has something looked at after each file. Files without a server load nothing that looks at servers. */
export const afterEachFile = (check: Check) => void checks.add(check)

/** @throws what the checks found, all of it. */
export async function checkFile(): Promise<void> {
  const found: string[] = []
  for (const check of checks) found.push(...(await check()))
  if (found.length > 0) throw new Error(found.join('\n'))
}
