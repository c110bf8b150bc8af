import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#platform/context.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { Unidentified, unprocessable } from '#platform/refusals.ts'
import type { GitCredentials } from '#code/git-http/authorize-git.ts'
import { authorizeKey } from '#code/git-ssh/authorize-key.ts'
import type { LfsOverSsh } from '#code/git-ssh/serve.ts'
import { findKey, holderOf, refusalOfKey } from '#code/git-ssh/ssh-keys.ts'
import type { Service } from '#code/git-transport/access.ts'
import { lfsProject } from './lfs-project.ts'

/** What the secret of a credential begins with that a key was given for LFS. */
const PREFIX = 'gllfs-'
/** The name beside it. */
const USERNAME = 'lfs'
/** Seconds for which it is good: long enough for large objects over a slow line. */
const SECONDS = 30 * 60

const UNKNOWN = 'This credential for LFS is unknown or has expired. Try again: git asks for another one.'

interface Claim {
  readonly key: number
  readonly project: number
  readonly service: Service
  /** Seconds since 1970. */
  readonly until: number
}

interface Source {
  readonly secrets: Secrets
  readonly clock: Clock
}

const signed = ({ secrets }: Source, text: string): Buffer =>
  createHmac('sha256', secrets.derive('Git LFS over SSH')).update(text).digest()

function passwordFor(source: Source, { key, project, service, until }: Claim): string {
  const text = [key, project, service, until].join('.')
  return `${PREFIX}${text}.${signed(source, text).toString('base64url')}`
}

/** @returns undefined for what this instance never said, or said too long ago */
function claimIn(source: Source, password: string): Claim | undefined {
  const [, text = '', key, project, name, until, seal = ''] =
    /^gllfs-((\d{1,16})\.(\d{1,16})\.(git-(?:upload|receive)-pack)\.(\d{1,12}))\.([\w-]{43})$/.exec(
      password,
    ) ?? []
  const given = Buffer.from(seal, 'base64url')
  const right = signed(source, text)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  const service = name === 'git-receive-pack' ? name : 'git-upload-pack'
  const claim: Claim = { key: Number(key), project: Number(project), service, until: Number(until) }
  return claim.until * 1000 > source.clock.now().getTime() ? claim : undefined
}

/** Answers `git-lfs-authenticate PATH OPERATION`: where the API is, and a credential of half an hour for it. */
export const answerOverSsh: LfsOverSsh = async (services, key, { path, operation }, origin) => {
  if (operation !== 'download' && operation !== 'upload')
    throw unprocessable('git-lfs-authenticate takes a path and download or upload')
  const service = operation === 'upload' ? 'git-receive-pack' : 'git-upload-pack'
  const access = await authorizeKey(services, key, path, service, origin)
  const project = await lfsProject(services.db, access)
  const until = Math.floor(services.clock.now().getTime() / 1000) + SECONDS
  const password = passwordFor(services, { key: key.id, project: project.id, service, until })
  const there = (access.movedTo ?? path).split('/').map(encodeURIComponent).join('/')
  return `${JSON.stringify({
    href: `${services.site()}/${there}.git/info/lfs`,
    header: { Authorization: `Basic ${Buffer.from(`${USERNAME}:${password}`).toString('base64')}` },
    expires_in: SECONDS,
  })}\n`
}

/** Recognizes what {@link answerOverSsh} gave: the key must still be good, and may still do this. */
export const lfsCredentials: GitCredentials = {
  async authorize({ request, password, path, service }) {
    if (!password.startsWith(PREFIX)) return undefined
    const { services } = request.server
    const claim = claimIn(services, password)
    const key = claim && (await findKey(services.db, { id: claim.key }))
    if (claim === undefined || key === undefined) throw new Unidentified(UNKNOWN)
    const refusal = refusalOfKey(key, services.clock.now())
    // Who may upload may download.
    const covers = claim.service === service || service === 'git-upload-pack'
    if (refusal !== undefined || !covers) throw new Unidentified(refusal ?? UNKNOWN)
    request.callerName = holderOf(key)
    const access = await authorizeKey(services, key, path, service, { ip: request.ip, requestId: request.id })
    if (access.owner.kind !== 'project' || access.owner.project !== claim.project)
      throw new Unidentified(UNKNOWN)
    return access
  },
}
