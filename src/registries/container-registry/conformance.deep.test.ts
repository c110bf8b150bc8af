import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { conformance } from '#test/docker-registry.ts'
import { w } from '#test/world.ts'
import { withImages } from './test-support.ts'

test.skipIf(conformance === undefined)(
  'the conformance suite of the distribution specification passes',
  async () => {
    const { name, project } = await withImages()
    const folder = mkdtempSync(join(tmpdir(), 'forgelet-conformance-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { stdout, stderr } = await promisify(execFile)(conformance ?? '', {
      cwd: folder,
      env: {
        OCI_VERSION: '1.1',
        OCI_REGISTRY: new URL(w.url).host,
        OCI_TLS: 'disabled',
        OCI_REPO1: name,
        OCI_REPO2: `${name}/second`,
        OCI_USERNAME: project.maintainer.username,
        OCI_PASSWORD: project.maintainer.token,
        // More than the suite asks by itself.
        OCI_API_BLOBS_UPLOAD_CANCEL: 'true',
        OCI_API_BLOBS_DIGEST_HEADER: 'true',
        OCI_API_MANIFESTS_DIGEST_HEADER: 'true',
        // Registries may leave it out.
        OCI_DATA_SHA512: 'false',
      },
    }).catch((error: { readonly stdout: string; readonly stderr: string }) => error)
    expect(stdout + stderr).not.toMatch(/: +FAIL$/m)
    const results = readFileSync(join(folder, 'results/results.yaml'), 'utf8')
    for (const api of ['Blob chunked', 'Blob mount', 'Blob upload cancel', 'Referrers', 'Tag delete atomic'])
      expect(results).toContain(`${api}: Pass`)
  },
)
