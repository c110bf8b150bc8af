/** How a registry wants its callers to identify themselves (RFC 9110 §11.6.1). */
export type Challenge = BasicChallenge | BearerChallenge

export interface BasicChallenge {
  readonly scheme: 'basic'
}

export interface BearerChallenge {
  readonly scheme: 'bearer'
  readonly realm: string
  readonly service: string | undefined
  /** Why what the caller sent was not enough, such as `invalid_token` (RFC 6750 §3). */
  readonly error: string | undefined
}

/** The longest header that is read. */
const MAX_HEADER = 4_096

const TOKEN = /[\w!#$%&'*+.^`|~-]+/y
const QUOTED = /"((?:[^"\\]|\\.)*)"/y
/** What some schemes have instead of parameters: it ends where the challenge does. */
const TOKEN68 = /[\w.~+/-]+=*(?=[\t ]*(?:,|$))/y
const SPACE = /[\t ]*/y
const SEPARATORS = /[\t ,]*/y

interface ChallengeParts {
  readonly scheme: string
  readonly parameters: Map<string, string>
}

/**
 * Reads `WWW-Authenticate`: a list, in one header or in several that were joined with commas.
 * @returns those that this program can answer, a token before a password; none after what is out of the grammar.
 */
export function readChallenges(header: string | undefined): readonly Challenge[] {
  const known = challengesIn((header ?? '').slice(0, MAX_HEADER)).flatMap((one) => challengeOf(one) ?? [])
  return [
    ...known.filter(({ scheme }) => scheme === 'bearer'),
    ...known.filter(({ scheme }) => scheme === 'basic').slice(0, 1),
  ]
}

function challengeOf({ scheme, parameters }: ChallengeParts): Challenge | undefined {
  if (scheme === 'basic') return { scheme }
  const realm = parameters.get('realm')
  if (scheme !== 'bearer' || realm === undefined || !URL.canParse(realm)) return undefined
  return { scheme, realm, service: parameters.get('service'), error: parameters.get('error') }
}

/** A comma is between two parameters as it is between two challenges: a name without `=` begins a challenge. */
function challengesIn(text: string): readonly ChallengeParts[] {
  const found: ChallengeParts[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(text) ?? undefined
    at += match?.[0].length ?? 0
    return match
  }
  const takeValue = (): string | undefined => {
    take(SPACE)
    if (text[at] !== '=') return undefined
    at += 1
    take(SPACE)
    return take(QUOTED)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? take(TOKEN)?.[0]
  }
  for (take(SEPARATORS); at < text.length; take(SEPARATORS)) {
    const name = take(TOKEN)?.[0].toLowerCase()
    if (name === undefined) break
    const value = takeValue()
    if (value !== undefined) {
      found.at(-1)?.parameters.set(name, value)
      continue
    }
    if (text[at - 1] === '=') break
    found.push({ scheme: name, parameters: new Map() })
    take(TOKEN68)
  }
  return found
}
