import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { certificate, key } from '#test/certificate.ts'
import { GitClient } from '#test/git-client.ts'
import { sourceServer } from '#test/source-server.ts'
import { Guard } from '#platform/outgoing/guard.ts'
import { Outgoing } from '#platform/outgoing/outgoing.ts'
import { OutgoingProxy } from '#platform/outgoing/proxy.ts'

/** TLS in front of a server. @returns the port */
async function tlsFor(port: number): Promise<number> {
  const server = createServer({ key, cert: certificate }, (socket) => {
    const behind = connect(port, '127.0.0.1')
    for (const one of [socket, behind]) one.on('error', () => {})
    socket.pipe(behind).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('the real git asks https servers through a tunnel, and checks the certificate of the name', async () => {
  const source = await sourceServer()
  await source.fill()
  const port = await tlsFor(source.port)
  await using client = await GitClient.open()
  const authority = join(client.folder, 'ca.pem')
  await writeFile(authority, certificate)
  const settings = {
    allow_local_requests_from_web_hooks_and_services: true,
    outbound_local_requests_whitelist: [],
  }
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const outgoing = new Outgoing(new Guard(() => settings, resolve))
  const list = async (host: string) => {
    const { signal } = new AbortController()
    await using proxy = await OutgoingProxy.open(outgoing, { to: { host, port }, maxBytes: 0, signal })
    const proxied = ['-c', `http.proxy=${proxy.url}`, '-c', 'http.proxyAuthMethod=basic']
    const trusting = ['-c', `http.sslCAInfo=${authority}`]
    const url = `https://${host}:${port}/sample.git`
    const ran = await client.try([...proxied, ...trusting, 'ls-remote', url, 'HEAD'])
    expect(proxy.failure).toBeUndefined()
    return ran
  }
  const head = await source.git(['rev-parse', 'HEAD'])
  expect((await list('source.test')).out).toBe(`${head}\tHEAD\n`)
  expect((await list('other.test')).err).toMatch(/certificate/)
})
