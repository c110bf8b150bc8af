import { createHash } from 'node:crypto'
import { objectAt } from '#code/git/tree.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { listIn, recordIn, scalarIn, textsIn } from '../config/json.ts'
import type { Json } from '../config/values.ts'
import type { JobDefinition } from '../jobs/definition.ts'

type Expand = (text: string) => string
type JobOptions = JobDefinition['options']
type When = 'on_success' | 'on_failure' | 'always'

/** What a runner uploads after a job. */
export interface WantedArtifact {
  readonly name?: string
  readonly untracked?: boolean
  readonly paths: readonly string[]
  readonly exclude?: readonly string[]
  readonly when: When
  readonly artifact_type: string
  readonly artifact_format: 'zip' | 'gzip' | 'raw'
  readonly expire_in?: string
}

/** Reports that are read as they are, so that runners that can upload them so do. */
const RAW = new Set([
  'accessibility',
  'api_fuzzing',
  'browser_performance',
  'cluster_image_scanning',
  'codequality',
  'container_scanning',
  'coverage_fuzzing',
  'dast',
  'dependency_scanning',
  'license_scanning',
  'load_performance',
  'performance',
  'requirements',
  'requirements_v2',
  'sast',
  'secret_detection',
  'terraform',
])

/** What runners call the files of reports. */
const NAMES: Readonly<Record<string, string>> = {
  codequality: 'gl-code-quality-report.json',
  cobertura: 'cobertura-coverage.xml',
  dotenv: '.env',
  jacoco: 'jacoco-coverage.xml',
  junit: 'junit.xml',
  lsif: 'lsif.json',
  metrics: 'metrics.txt',
  terraform: 'tfplan.json',
}

/** What a runner shall upload: the archive, and each report; null for nothing. */
export function artifactsOf(
  options: JobOptions,
  expand: Expand,
  features: readonly string[],
): WantedArtifact[] | null {
  const held = recordIn(options['artifacts'])
  const expireIn = scalarIn(held['expire_in'])
  const shared = expireIn === undefined ? {} : { expire_in: expand(expireIn) }
  const paths = textsIn(held['paths']).map(expand)
  const untracked = held['untracked'] === true
  const exclude = textsIn(held['exclude']).map(expand)
  const name = scalarIn(held['name'])
  const archive: WantedArtifact[] =
    paths.length === 0 && !untracked
      ? []
      : [
          {
            ...(name !== undefined && { name: expand(name) }),
            untracked,
            paths,
            ...(exclude.length > 0 && { exclude }),
            when: whenIn(held['when']),
            artifact_type: 'archive',
            artifact_format: 'zip',
            ...shared,
          },
        ]
  const all = [...archive, ...reportsOf(recordIn(held['reports']), expand, features, shared)]
  return all.length === 0 ? null : all
}

function reportsOf(
  reports: ReturnType<typeof recordIn>,
  expand: Expand,
  features: readonly string[],
  shared: { readonly expire_in?: string },
): WantedArtifact[] {
  return Object.entries(reports).flatMap(([kind, value]) => {
    const coverage = recordIn(value)
    const type = kind === 'coverage_report' ? (scalarIn(coverage['coverage_format']) ?? '') : kind
    const paths = textsIn(kind === 'coverage_report' ? coverage['path'] : value).map(expand)
    if (type === '' || paths.length === 0) return []
    const format =
      type === 'lsif' ? 'zip' : RAW.has(type) && features.includes('upload_raw_artifacts') ? 'raw' : 'gzip'
    return [
      {
        name: NAMES[type] ?? `gl-${type.replaceAll('_', '-')}-report.json`,
        paths,
        when: 'always',
        artifact_type: type,
        artifact_format: format,
        ...shared,
      } satisfies WantedArtifact,
    ]
  })
}

const WHENS: readonly When[] = ['on_success', 'on_failure', 'always']
const whenIn = (value: Json | undefined): When => WHENS.find((when) => when === value) ?? 'on_success'

/** A cache as runners know it. */
export interface Cache {
  readonly key: string
  readonly untracked: boolean
  readonly unprotect: boolean
  readonly policy: string
  readonly paths: readonly string[]
  readonly when: When
  readonly fallback_keys: readonly string[]
}

/** What decides about the keys of caches. */
export interface CachePlace {
  readonly expand: Expand
  readonly repository: StoredRepository | undefined
  readonly sha: string
  /** What keeps caches of protected branches from others; empty where the project shares them. */
  readonly suffix: string
}

export const cachesOf = (options: JobOptions, place: CachePlace): Promise<Cache[]> =>
  Promise.all(
    listIn(options['cache']).map(async (cache) => {
      const held = recordIn(cache)
      const { expand } = place
      const unprotect = held['unprotect'] === true
      const whole = (key: string) => (unprotect ? key : key + place.suffix)
      return {
        key: whole(await keyOf(held['key'], place)),
        untracked: held['untracked'] === true,
        unprotect,
        policy: expand(scalarIn(held['policy']) ?? 'pull-push'),
        paths: textsIn(held['paths']).map(expand),
        when: whenIn(held['when']),
        fallback_keys: textsIn(held['fallback_keys']).map((key) => whole(expand(key))),
      }
    }),
  )

const DEFAULT_KEY = 'default'
/** Files that a key may be made of. */
const MOST_FILES = 10

/** The key of a cache: a text, or made of files, so that it is another one when they change. */
async function keyOf(value: Json | undefined, { expand, repository, sha }: CachePlace): Promise<string> {
  const text = scalarIn(value)
  if (text !== undefined) return expand(text)
  const held = recordIn(value)
  const files = [...textsIn(held['files']), ...textsIn(held['files_commits'])].slice(0, MOST_FILES)
  const prefix = scalarIn(held['prefix'])
  if (files.length === 0) return prefix === undefined ? DEFAULT_KEY : expand(prefix)
  const found =
    repository === undefined
      ? []
      : await Promise.all(files.map((file) => objectAt(repository, sha, expand(file))))
  const ids = found.flatMap((object) => (object === undefined ? [] : [object.id]))
  const key = ids.length === 0 ? DEFAULT_KEY : createHash('sha1').update(ids.join('-')).digest('hex')
  return prefix === undefined ? key : `${expand(prefix)}-${key}`
}
