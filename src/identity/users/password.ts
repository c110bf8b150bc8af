import { hashPassword } from '#platform/access/passwords.ts'
import { invalid } from '#platform/refusals.ts'

const MIN_LENGTH = 8
/** Longer passwords only cost time to hash. */
const MAX_LENGTH = 128

export interface PasswordParameters {
  readonly password?: string
  readonly reset_password?: boolean
  readonly force_random_password?: boolean
}

/**
 * The digest of the requested password. It is null when no password is to work: for `reset_password` (a
 * mail with a link follows) and `force_random_password` (a password that nobody knows). It is undefined when the
 * request sets none. Hashing takes a while: call this outside of transactions.
 * @throws 400 for a password that is too short, too long, or easily guessed.
 */
export async function passwordDigestOf(
  { password, reset_password, force_random_password }: PasswordParameters,
  owner: { readonly username: string; readonly email: string },
): Promise<string | null | undefined> {
  if (reset_password || force_random_password) return null
  if (password === undefined) return undefined
  const problems = problemsOf(password, owner)
  if (problems.length > 0) throw invalid({ password: problems })
  return hashPassword(password)
}

function problemsOf(password: string, owner: { username: string; email: string }): string[] {
  const length = Array.from(password).length
  if (password.trim() === '') return ["can't be blank"]
  const names = [owner.username, owner.email].map((name) => name.toLowerCase())
  return [
    ...(length < MIN_LENGTH ? [`is too short (minimum is ${MIN_LENGTH} characters)`] : []),
    ...(length > MAX_LENGTH ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : []),
    ...(names.includes(password.toLowerCase()) ? ['must not be the username or the email address'] : []),
  ]
}
