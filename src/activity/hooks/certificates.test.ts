import { once } from 'node:events'
import { createServer } from 'node:https'
import { expect, onTestFinished, test } from 'vitest'
import { localhost } from '#test/certificate.ts'
import { w } from '#test/world.ts'
import { allowReceivers } from './test-support.ts'

allowReceivers()

/** A receiver whose certificate nobody trusts. */
async function untrusted() {
  const state = { received: 0 }
  const server = createServer(localhost, (request, response) => {
    state.received += 1
    request.resume()
    response.end('taken')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { state, url: `https://127.0.0.1:${port}/` }
}

test.each([
  [true, 0, { response_status: 'internal error', response_body: expect.stringMatching(/certificate/i) }],
  [false, 1, { response_status: '200', response_body: 'taken' }],
])(
  'with enable_ssl_verification %s, a receiver whose certificate is not trusted gets %d deliveries',
  async (enable_ssl_verification, count, attempt) => {
    const { state, url } = await untrusted()
    const project = await w.project()
    const { body: hook } = await project.maintainer.post(`/projects/${project.id}/hooks`, {
      url,
      push_events: false,
      issues_events: true,
      enable_ssl_verification,
    })
    expect(hook).toMatchObject({ enable_ssl_verification })
    await project.developer.post(`/projects/${project.id}/issues`, { title: 'Over TLS' })
    const log = async () =>
      (await project.maintainer.get(`/projects/${project.id}/hooks/${hook.id}/events`)).body
    await expect.poll(async () => (await log()).at(-1)).toMatchObject(attempt)
    expect(state.received).toBe(count)
  },
)
