import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '#test/redis.ts'
import { w } from '#test/world.ts'
import { Registry, withImages } from './test-support.ts'

/** Another server for the same data, with addresses of its own. @returns where it listens */
async function serverWith(env: Record<string, string>): Promise<string> {
  const server = await w.another(undefined, env)
  onTestFinished(() => server.stop())
  const address = server.app.server.address()
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
}

test('images have a port of their own, where nothing else is', async () => {
  const port = await freePort()
  const images = `http://127.0.0.1:${port}`
  const site = await serverWith({ FORGELET_REGISTRY_ADDRESS: `127.0.0.1:${port}` })
  const { name, project } = await withImages()
  const there = new Registry(project.developer.token, 'somebody', images)
  const { digest } = await there.image(name, 'v1')
  // The token came from there, too, and the main port has the same images.
  const challenged = await fetch(`${images}/v2/`)
  expect(challenged.headers.get('www-authenticate')).toContain(`realm="${images}/jwt/auth"`)
  const besides = new Registry(project.reporter.token, 'somebody', site)
  expect((await besides.ask(`${name}/manifests/v1`)).headers.get('docker-content-digest')).toBe(digest)
  for (const path of ['/api/v4/version', '/', '/v2x', '/jwt/authx', '/-/metrics']) {
    const answer = await fetch(images + path)
    expect([path, answer.status, await answer.text()]).toEqual([path, 404, '{"error":"404 Not Found"}'])
  }
  const headers = { 'private-token': project.reporter.token }
  const shown = await fetch(`${site}/api/v4/projects/${project.id}`, { headers })
  expect(await shown.json()).toMatchObject({ container_registry_image_prefix: `127.0.0.1:${port}/${name}` })
})

test('images have a host of their own, where nothing else is', async () => {
  const site = await serverWith({
    FORGELET_EXTERNAL_URL: 'https://forge.example.com',
    FORGELET_REGISTRY_URL: 'https://images.example.com',
  })
  const ask = async (host: string, path: string) => {
    const { status, headers, body } = await new Promise<{
      status: number | undefined
      headers: Record<string, unknown>
      body: Promise<string>
    }>((resolve, reject) => {
      request(site + path, { headers: { host } }, (answer) =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: text(answer) }),
      )
        .on('error', reject)
        .end()
    })
    return { status, challenge: headers['www-authenticate'], body: await body }
  }
  for (const host of ['images.example.com', 'forge.example.com']) {
    const { status, challenge } = await ask(host, '/v2/')
    expect([host, status]).toEqual([host, 401])
    expect(challenge).toContain('realm="https://forge.example.com/jwt/auth"')
  }
  expect((await ask('images.example.com', '/jwt/auth?service=container_registry')).status).toBe(401)
  for (const path of ['/api/v4/version', '/users/sign_in', '/']) {
    const { status, body } = await ask('images.example.com', path)
    expect([path, status, body]).toEqual([path, 404, '{"error":"404 Not Found"}'])
  }
  expect((await ask('forge.example.com', '/users/sign_in')).status).toBe(200)
})

test('an address where nobody could be is refused at the start', async () => {
  for (const address of ['5050', '127.0.0.1', '127.0.0.1:0', '127.0.0.1:70000'])
    await expect(w.another(undefined, { FORGELET_REGISTRY_ADDRESS: address })).rejects.toThrow(
      /^FORGELET_REGISTRY_ADDRESS: .* is not accepted/,
    )
})
