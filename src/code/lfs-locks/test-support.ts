import { w } from '#test/world.ts'

/** What a request of LFS was answered. */
interface Answered {
  readonly status: number
  readonly headers: Headers
  /** Tests say by their expectations what it should be. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

interface Asked {
  readonly token?: string | undefined
  readonly username?: string
  /** JSON, or a text that is sent as it is. */
  readonly body?: object | string
}

const TYPE = 'application/vnd.git-lfs+json'

/** Asks for the locks of a repository as clients of LFS do. @param rest what follows `/locks` */
export async function locks(path: string, rest: string, { token, username = 'x', body }: Asked = {}) {
  const basic = Buffer.from(`${username}:${token}`).toString('base64')
  const answer = await fetch(`${w.url}/${path}.git/info/lfs/locks${rest}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: TYPE,
      'content-type': TYPE,
      ...(token !== undefined && { authorization: `Basic ${basic}` }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const answered: Answered = { status: answer.status, headers: answer.headers, body: JSON.parse(text) }
  return answered
}

/** Locks a file for somebody. @returns the id of the lock */
export async function lock(
  path: string,
  { token }: { readonly token: string },
  file: string,
): Promise<string> {
  const { status, body } = await locks(path, '', { token, body: { path: file } })
  if (status !== 201) throw new Error(`locking answered ${status}: ${JSON.stringify(body)}`)
  return body.lock.id
}
