import { type IncomingHttpHeaders, request } from 'node:http'
import { parseSetCookie } from 'cookie'
import { hashPassword } from '#platform/access/passwords.ts'
import type { NewUser } from '#identity/users/create-user.ts'
import { unique, type World } from './world.ts'

/** What a browser gets. */
export interface Shown {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface VisitorOptions {
  /** The address that they come from, as a proxy tells it. */
  readonly from?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The address of the proxy that the servers under test believe. */
const PROXY = '127.0.0.9'

/** Somebody with a browser: keeps cookies, follows nothing by itself, and sends forms as pages have them. */
export class Visitor {
  readonly base: string
  readonly cookies = new Map<string, string>()
  readonly #options: VisitorOptions

  constructor(base: string, options: VisitorOptions = {}) {
    this.base = base
    this.#options = options
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return this.#send('GET', path, headers)
  }

  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    return this.#send('POST', path, headers, new URLSearchParams(fields).toString())
  }

  /** Sends a form with the token that the page `on` has for it. */
  async submit(on: string, path: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    const { text } = await this.get(on)
    return this.post(path, { authenticity_token: csrfTokenIn(text), ...fields })
  }

  signIn(login: string, password: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return this.post('/users/sign_in', { login, password, ...fields })
  }

  #send(
    method: string,
    path: string,
    extra: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Shown> {
    const { from, headers = {} } = this.#options
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const all = {
      ...headers,
      ...(cookie === '' ? {} : { cookie }),
      ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      ...(body === undefined
        ? {}
        : {
            'content-type': 'application/x-www-form-urlencoded',
            'content-length': String(Buffer.byteLength(body)),
          }),
      ...extra,
    }
    const proxied = from !== undefined || 'x-forwarded-proto' in all
    return new Promise((resolve, reject) => {
      const options = { method, headers: all, ...(proxied ? { localAddress: PROXY } : {}) }
      const asked = request(`${this.base}${path}`, options, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => {
          this.#keep(answer.headers['set-cookie'] ?? [])
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
        })
      })
      asked.on('error', reject).end(body)
    })
  }

  #keep(cookies: readonly string[]): void {
    for (const { name, value = '', maxAge } of cookies.map((text) => parseSetCookie(text))) {
      if (maxAge === 0) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

export function csrfTokenIn(text: string): string {
  return /name="authenticity_token" value="([^"]*)"/.exec(text)?.[1] ?? ''
}

/** A user who has a password. */
export async function person(w: World, options: Partial<NewUser> & { password?: string } = {}) {
  const { password = 'correct horse battery', ...rest } = options
  const username = rest.username ?? unique('person')
  const user = await w.user({ ...rest, username, passwordDigest: await hashPassword(password) })
  return { id: user.id, username, email: `${username}@example.com`, password, user }
}

/** Somebody who has just signed in. */
export async function signedIn(w: World, options: Parameters<typeof person>[1] = {}) {
  const who = await person(w, options)
  const visitor = new Visitor(w.url)
  await w.running.services.limits.forget()
  await visitor.signIn(who.username, who.password)
  return { ...who, visitor }
}
