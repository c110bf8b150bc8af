import { afterAll, beforeAll } from 'vitest'
import type { Client } from '#test/client.ts'
import { openWorld, unique, type World } from '#test/world.ts'

/** A server with the plan and the feature flag that virtual registries need. */
export let own: World

/** Opens that server for the tests of a file. It may reach this machine if the tests need upstreams on it. */
export function withVirtualRegistries({ local = false } = {}): void {
  beforeAll(async () => {
    own = await openWorld(undefined, 'premium')
    await own.root.post('/features/container_virtual_registries', { value: true })
    if (local)
      await own.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  })
  afterAll(() => own.running.stop())
}

const base = '/virtual_registries/container'
export const registryPath = ({ id }: { id: number }) => `${base}/registries/${id}`
export const upstreamPath = ({ id }: { id: number }) => `${base}/upstreams/${id}`
export const associationPath = ({ id }: { id: number }) => `${base}/registry_upstreams/${id}`
export const ofGroup = ({ id }: { id: number }, rest = 'registries') =>
  `/groups/${id}/-/virtual_registries/container/${rest}`

/** A URL that no other upstream has; nothing is looked up for it, and nobody asks it. */
export const aUrl = () => `https://9.9.9.9/${unique('registry')}`

async function made(by: Client, path: string, json: object) {
  const { status, body, text } = await by.post(path, json)
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`)
  return body
}

export const makeRegistry = (by: Client, group: { id: number }) =>
  made(by, ofGroup(group), { name: unique('Registry') })

export const makeUpstream = (by: Client, registry: { id: number }, upstream: object = {}) =>
  made(by, `${registryPath(registry)}/upstreams`, { url: aUrl(), name: unique('Upstream'), ...upstream })

/** A group with a registry and some upstreams. */
export async function withUpstreams(count: number) {
  const group = await own.group()
  const registry = await makeRegistry(group.maintainer, group)
  const upstreams = []
  for (let at = 0; at < count; at += 1) upstreams.push(await makeUpstream(group.maintainer, registry))
  return { group, by: group.maintainer, registry, upstreams }
}

/** The ids of a registry's upstreams in their order, with their positions. */
export async function orderOf(by: Client, registry: { id: number }): Promise<(readonly [number, number])[]> {
  const { body } = await by.get(`${registryPath(registry)}/upstreams`)
  return body.map((one: { id: number; registry_upstream: { position: number } }) => [
    one.id,
    one.registry_upstream.position,
  ])
}

interface PullOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** A client of registries, as somebody with a token. */
export class Puller {
  readonly #base: string
  readonly #basic: string | undefined
  #token: string | undefined

  constructor(base: string, secret: string | undefined, username = 'somebody') {
    this.#base = base
    this.#basic = secret === undefined ? undefined : Buffer.from(`${username}:${secret}`).toString('base64')
  }

  /** Asks for a path below `/v2/virtual_registries/container/`, and gets a token as it is told to. */
  async ask(path: string, { method = 'GET', headers = {}, signal }: PullOptions = {}) {
    const send = () =>
      fetch(`${this.#base}/v2/virtual_registries/container/${path}`, {
        method,
        redirect: 'manual',
        headers: { ...headers, ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }) },
        ...(signal && { signal }),
      })
    const first = await send()
    const challenge = first.headers.get('www-authenticate')
    if (first.status !== 401 || challenge === null || this.#basic === undefined) return first
    await first.arrayBuffer()
    const scope = /scope="([^"]*)"/.exec(challenge)?.[1] ?? ''
    const answer = await fetch(
      `${this.#base}/jwt/auth?service=container_registry&scope=${encodeURIComponent(scope)}`,
      {
        headers: { authorization: `Basic ${this.#basic}` },
      },
    )
    if (answer.status !== 200) return answer
    const { token }: { token: string } = JSON.parse(await answer.text())
    this.#token = token
    return send()
  }

  /** The same, read whole. */
  async get(path: string, headers: Record<string, string> = {}) {
    const answer = await this.ask(path, { headers })
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
}
