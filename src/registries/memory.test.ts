import { request } from 'node:http'
import { expect, test } from 'vitest'
import { OCI_MANIFEST } from '#test/fake-registry.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { withImages } from './container-registry/test-support.ts'
import { npmPackage } from './package-formats/npm/test-support.ts'
import { pypi } from './package-formats/pypi/test-support.ts'

const BOUNDARY = 'x'
const field = (name: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${'x'.repeat(4_000)}\r\n`

test('manifests, documents of npm and fields of Python packages count in the memory of all bodies', async () => {
  const { project, name } = await withImages()
  const { bodyMemory } = w.running.app
  const half = 'x'.repeat(500_000)
  const fields = Array.from({ length: 200 }, (_, n) => field(`f${n}`)).join('')
  for (const [method, path, type, part] of [
    ['PUT', `/v2/${name}/manifests/v1`, OCI_MANIFEST, half],
    ['PUT', `/api/v4${npmPackage(project)}`, 'application/json', `{"description":"${half}`],
    ['POST', `/api/v4${pypi(project)}`, `multipart/form-data; boundary=${BOUNDARY}`, fields],
  ] as const) {
    const before = bodyMemory.used
    const sending = request(`${w.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${project.developer.token}`,
        'content-type': type,
        'content-length': 2_000_000,
      },
    })
    sending.on('error', () => {})
    sending.write(part)
    await until(async () => expect(bodyMemory.used - before).toBeGreaterThan(400_000))
    sending.destroy()
    await until(async () => expect(bodyMemory.used).toBe(before))
  }
})
