import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { expectations } from './expected-routes.ts'
import { sendTo } from './licensed.ts'
import type { Asking, RouteExpectation } from './route-expectation.ts'

const routes = w.running.app.declaredRoutes.filter(({ schema }) => schema.refuses?.includes(412))
const nameOf = ({ method, url }: (typeof routes)[number]) => `${method} ${url.replace('/api/v4', '')}`

async function asking(expectation: RouteExpectation): Promise<Asking> {
  if (expectation.in === 'instance') return expectation.request(w)
  return expectation.in === 'project'
    ? expectation.request(await w.project(), w)
    : expectation.request(await w.group(), w)
}

const longAgo = w.root.with({ 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' })
const now = () => w.root.with({ 'if-unmodified-since': new Date(Date.now() + 1_000).toUTCString() })

test.each(routes.map((route) => [nameOf(route), route] as const))(
  '%s changes nothing that was changed since the moment that the client names',
  async (name, route) => {
    const expectation = expectations.get(name)
    if (expectation === undefined) throw new Error(`Nothing is expected of ${name}`)
    const request = await asking(expectation)
    const { status, body } = await sendTo(route, longAgo, request)
    expect([status, body]).toEqual([412, { message: '412 Precondition Failed' }])
    expect((await sendTo(route, now(), request)).status).toBe(expectation.status)
  },
)
