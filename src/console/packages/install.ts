import type { Static } from 'typebox'
import type { PackageFile, PackageWithVersions } from '#registries/packages/entity.ts'
import { API } from '#platform/http/routing.ts'
import { path } from '../frame/api.ts'

type File = Static<typeof PackageFile>

/** What somebody types, or writes into a file, to have a package. */
export interface Step {
  readonly about: string
  readonly lines: string
}

interface Wanted {
  readonly shown: Pick<Static<typeof PackageWithVersions>, 'name' | 'version' | 'package_type' | 'project_id'>
  /** The first of its files, if there is one. */
  readonly file: File | undefined
  /** The address of this server. */
  readonly site: string
  /** Whether it takes a token. */
  readonly isPrivate: boolean
}

/** How clients of each format get a package. See docs/guides/packages.md. */
export function installing({ shown, file, site, isPrivate }: Wanted): readonly Step[] {
  const { name, project_id } = shown
  const version = shown.version ?? ''
  const base = `${site}${API}${path`/projects/${project_id}/packages`}`
  const host = base.replace(/^https?:/, '')
  const withToken = isPrivate ? base.replace('://', '://me:$TOKEN@') : base
  switch (shown.package_type) {
    case 'npm': {
      const [scope] = /^@[^/]+(?=\/)/.exec(name) ?? []
      return [
        {
          about: 'In .npmrc',
          lines: [
            `${scope === undefined ? '' : `${scope}:`}registry=${base}/npm/`,
            ...(isPrivate ? [`${host}/npm/:_authToken=\${TOKEN}`] : []),
          ].join('\n'),
        },
        { about: 'Then', lines: `npm install ${name}@${version}` },
      ]
    }
    case 'pypi':
      return [
        { about: 'With pip', lines: `pip install --index-url ${withToken}/pypi/simple ${name}==${version}` },
      ]
    case 'maven':
      return [
        { about: 'In pom.xml', lines: mavenDependency(name, version) },
        {
          about: 'And where it is',
          lines: `<repository>\n  <id>forgelet</id>\n  <url>${base}/maven</url>\n</repository>`,
        },
        ...(isPrivate ? [{ about: 'In settings.xml', lines: MAVEN_SERVER }] : []),
      ]
    case 'golang': {
      const host = new URL(site).hostname
      return [
        {
          about: 'With go',
          lines: `export GOPROXY="${withToken}/go,https://proxy.golang.org,direct" GONOSUMDB=${host}\ngo get ${name}@${version}`,
        },
      ]
    }
    case 'generic': {
      const address = file && downloadOf(shown, file)
      const header = isPrivate ? '--header "PRIVATE-TOKEN: $TOKEN" ' : ''
      return address === undefined
        ? []
        : [{ about: 'With curl', lines: `curl ${header}--remote-name "${site}${address}"` }]
    }
    case 'conan':
    case 'nuget':
    case 'composer':
    case 'debian':
    case 'rubygems':
    case 'helm':
    case 'terraform_module':
    case 'ml_model':
    case 'cargo':
      return []
  }
}

const mavenDependency = (name: string, version: string): string => {
  const parts = name.split('/')
  return `<dependency>
  <groupId>${parts.slice(0, -1).join('.')}</groupId>
  <artifactId>${parts.at(-1)}</artifactId>
  <version>${version}</version>
</dependency>`
}

const MAVEN_SERVER = `<server>
  <id>forgelet</id>
  <configuration>
    <httpHeaders>
      <property>
        <name>Private-Token</name>
        <value>\${env.TOKEN}</value>
      </property>
    </httpHeaders>
  </configuration>
</server>`

/** Where a file of a package is; undefined for formats of which files are not kept. */
export function downloadOf(
  { name, version, package_type, project_id }: Wanted['shown'],
  { file_name, file_sha256 }: File,
): string | undefined {
  const base = `${API}${path`/projects/${project_id}/packages`}`
  const folders = [...name.split('/'), ...(version === null ? [] : [version]), file_name]
  const addresses: Partial<Record<typeof package_type, string>> = {
    npm: path`/npm/${name}/-/${file_name}`,
    pypi: path`/pypi/files/${file_sha256 ?? ''}/${file_name}`,
    maven: `/maven/${folders.map(encodeURIComponent).join('/')}`,
    generic: path`/generic/${name}/${version ?? ''}/${file_name}`,
  }
  const address = addresses[package_type]
  return address === undefined ? undefined : base + address
}
