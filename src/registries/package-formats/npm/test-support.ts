import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import type { Client } from '#test/client.ts'

/** The file of a package as `npm pack` makes it. */
export async function tarballOf(
  packageJson: object | undefined,
  files: Readonly<Record<string, string>> = { 'package/index.js': '' },
): Promise<Buffer> {
  const all = {
    ...files,
    ...(packageJson === undefined ? {} : { 'package/package.json': JSON.stringify(packageJson) }),
  }
  const entries = Object.entries(all).map(([name, body]) => ({
    header: { name, size: Buffer.byteLength(body) },
    body,
  }))
  return gzipSync(await packTar(entries))
}

export interface Publishing {
  readonly name?: string
  readonly version?: string
  readonly tag?: string
  /** More of the manifest. */
  readonly manifest?: object
  readonly tarball?: Buffer
  /** What the document says of the file. */
  readonly dist?: object
}

/** The document with which npm publishes a version. */
export async function documentOf({
  name = 'tool',
  version = '1.0.0',
  tag = 'latest',
  manifest = {},
  tarball,
  dist,
}: Publishing = {}) {
  const packed = tarball ?? (await tarballOf({ name, version, ...manifest }))
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`
  const shasum = createHash('sha1').update(packed).digest('hex')
  return {
    _id: name,
    name,
    'dist-tags': { [tag]: version },
    versions: {
      [version]: {
        name,
        version,
        ...manifest,
        _id: `${name}@${version}`,
        readme: 'Read me',
        dist: dist ?? { integrity, shasum, tarball: 'http://localhost/x' },
      },
    },
    access: null,
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: 'application/octet-stream',
        data: packed.toString('base64'),
        length: packed.length,
      },
    },
  }
}

/** The address of a package in a project. */
export const npmPackage = ({ id }: { readonly id: number }, name = 'tool'): string =>
  `/projects/${id}/packages/npm/${name.replace('/', '%2f')}`

/** Publishes a version. */
export const publishNpm = async (
  client: Client,
  project: { readonly id: number },
  publishing: Publishing = {},
) => client.put(npmPackage(project, publishing.name), await documentOf(publishing))
