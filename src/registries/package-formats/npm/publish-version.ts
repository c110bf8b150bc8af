import type { FastifyRequest } from 'fastify'
import { badRequest, forbidden, invalid } from '#platform/refusals.ts'
import { publishFile } from '../../packages/publish.ts'
import { publisherOf } from '../../packages/publisher-of.ts'
import { keptManifest, type Manifest, type Publication } from './document.ts'
import { assertTag, assertVersion, fileNameOf } from './names.ts'
import { setTags } from './tags.ts'
import type { StoredPackageFile } from '../../packages/store-package-file.ts'
import { assertIsPackage } from './tarball.ts'

/**
 * Publishes the version of a document whose file is stored.
 * @throws 400 for a document of another form or whose digests lie, 403 for a version that is there and for a protected package
 */
export async function publishVersion(
  req: FastifyRequest,
  { name, versions, 'dist-tags': tags = {} }: Publication,
  stored: StoredPackageFile,
): Promise<void> {
  const [manifest, ...others] = Object.values(versions)
  if (manifest === undefined || others.length > 0)
    throw invalid({ versions: ['must be the one that is published'] })
  const { version } = manifest
  assertVersion(version)
  for (const [tag, tagged] of Object.entries(tags)) {
    assertTag(tag)
    if (tagged !== version) throw invalid({ 'dist-tags': [`${tag} is not about the version`] })
  }
  const dist = distOf(manifest, stored)
  const metadata = keptManifest(manifest, dist)
  const { container } = req.project()
  await assertIsPackage(req.server.services.files, stored, { name, version })
  await req.write(async (tx) => {
    const { packageId } = await publishFile(
      tx,
      container,
      { type: 'npm', name, version, metadata },
      { fileName: fileNameOf(name, version), stored },
      {
        ...publisherOf(req),
        refuse: (there) => (there.package ? forbidden('Package already exists.') : undefined),
      },
    )
    await setTags(tx, { projectId: container.id, name, packageId }, Object.keys(tags))
  })
}

/** What is known of the file: its digests as they are, whatever the document says. @throws 400 when that says something else */
function distOf(
  { dist = {} }: Manifest,
  { sha1, sha512 }: StoredPackageFile,
): Record<string, string | number> {
  const shasum = sha1.toString('hex')
  const integrity = `sha512-${sha512?.toString('base64') ?? ''}`
  if (dist.shasum !== undefined && dist.shasum !== shasum)
    throw badRequest('the shasum is not that of the attachment')
  const claimed = dist.integrity?.split(/\s+/).filter((one) => one.startsWith('sha512-')) ?? []
  if (claimed.length > 0 && !claimed.includes(integrity))
    throw badRequest('the integrity is not that of the attachment')
  return {
    shasum,
    integrity,
    ...(dist.fileCount !== undefined && { fileCount: dist.fileCount }),
    ...(dist.unpackedSize !== undefined && { unpackedSize: dist.unpackedSize }),
  }
}
