/** Native code that most starts do not need. */
const load = () => import('@node-rs/argon2')

/** argon2id with OWASP's minimum of memory and rounds (19 MiB, 2 rounds). */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export async function hashPassword(password: string): Promise<string> {
  const { hash } = await load()
  return hash(password, COST)
}

/** Takes the same time whether or not there is a password to compare with. */
export async function verifyPassword(digest: string | null, password: string): Promise<boolean> {
  const { verify } = await load()
  const matches = await verify(digest ?? (await nobodys()), password)
  return matches && digest !== null
}

let digestOfNobody: Promise<string> | undefined

function nobodys(): Promise<string> {
  digestOfNobody ??= hashPassword('a password that nobody has')
  return digestOfNobody
}
