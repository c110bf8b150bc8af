import type { FastifyInstance } from 'fastify'
import type { ParameterSchema } from './parameter-schema.ts'

/** Names, or parts of names with brackets, whose values must not appear in a log, whatever a route says of them. */
const SECRET =
  /token|passw|passphrase|secret|credential|verifier|assertion|(?:private|secret|api)_?key|^(?:device_|user_)?code$|^otp|^license$/i
/** A user name and a password in a URL. */
const USERINFO = /^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i
const REDACTED = '[redacted]'
/** How many URLs are looked through that are parameters of each other. What is deeper is left out. */
const DEEPEST = 3

/** Whether a name says that its value is a secret. */
export const isSecretName = (name: string): boolean => SECRET.test(name)

/**
 * Which parameters of routes are secrets, as their schemas say with `secret` (schema.ts): those in queries by their names, those in
 * paths by what stands around them. Requests that no route takes, such as those with another method, are recognized, too.
 */
export class SecretParameters {
  readonly #names = new Set<string>()
  readonly #paths: RegExp[] = []

  /** Learns of every route that is added from now on. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url, schema }) => {
      for (const name of secretsIn(schema?.querystring)) this.#names.add(name)
      const inPath = secretsIn(schema?.params)
      if (inPath.length > 0) this.#paths.push(patternOf(url, inPath))
    })
  }

  /**
   * A URL without its secrets, however a client encodes the names.
   * @param depth of how many other URLs it is a parameter
   */
  without(url: string, depth = 0): string {
    const start = url.indexOf('?')
    if (start < 0) return this.#path(url)
    const pairs = url.slice(start + 1).split('&')
    return `${this.#path(url.slice(0, start))}?${pairs.map((pair) => this.#pair(pair, depth)).join('&')}`
  }

  #path(path: string): string {
    const decoded = (path.includes('%') ? decode(path) : path).replace(/\/{2,}/g, '/')
    for (const pattern of this.#paths) {
      const { indices } = pattern.exec(decoded) ?? {}
      if (indices === undefined) continue
      // From the last to the first, so that those before stay where they are.
      return indices
        .slice(1)
        .toReversed()
        .reduce(
          (shown, [from = 0, to = 0] = [0, 0]) => `${shown.slice(0, from)}${REDACTED}${shown.slice(to)}`,
          decoded,
        )
    }
    return path
  }

  #pair(pair: string, depth: number): string {
    const [written = ''] = pair.split('=', 1)
    // Decoded as the query is: `private%5Ftoken` is a private_token.
    const [[name = '', value = ''] = []] = new URLSearchParams(pair)
    const hidden = name.split(/[[\]]+/).some((part) => SECRET.test(part) || this.#names.has(part))
    const isSecret = hidden || USERINFO.test(value) || this.#leadsToSecret(value, depth + 1)
    return isSecret ? `${written}=${REDACTED}` : pair
  }

  /** Whether a value is a URL with secrets, such as that of the page to go back to. */
  #leadsToSecret(value: string, depth: number): boolean {
    if (!/^(?:\/|https?:)/i.test(value)) return false
    return depth > DEEPEST || this.without(value, depth) !== value
  }
}

function secretsIn(schema: unknown): string[] {
  const { properties = {} }: ParameterSchema = typeof schema === 'object' && schema !== null ? schema : {}
  return Object.entries(properties).flatMap(([name, property]) => (property['x-secret'] ? [name] : []))
}

/** What finds the secrets in a path like that of a route, wherever it begins and whatever follows. */
function patternOf(url: string, secrets: readonly string[]): RegExp {
  const segments = url.split('/').map((segment) => {
    if (segment.startsWith(':')) return secrets.includes(segment.slice(1)) ? '([^/]+)' : '[^/]+'
    return segment.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  })
  return new RegExp(segments.join('/'), 'id')
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
