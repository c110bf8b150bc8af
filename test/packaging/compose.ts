import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { tree } from '#test/tree.ts'

export const composeFolder = join(tree, 'packaging/compose')

export interface Service {
  readonly image: string
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[]
  readonly volumes?: readonly string[]
  readonly depends_on?: unknown
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly read_only?: boolean
  readonly networks?: { readonly default: { readonly ipv4_address: string } }
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly [{ subnet: string; ip_range: string }] } }
  }
  readonly volumes: Readonly<Record<string, null>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

/** The file as Compose reads it, with a variable's value for `${NAME:-…}`, and `$$` for a dollar. */
export function readCompose(
  variables: Readonly<Record<string, string>> = {},
  name = 'compose.yaml',
): Compose {
  const text = readFileSync(join(composeFolder, name), 'utf8').replaceAll(
    /\$\$|\$\{(\w+):-([^}]*)\}/g,
    (found, name: string, fallback: string) => (found === '$$' ? '$' : (variables[name] ?? fallback)),
  )
  return parse(text, { logLevel: 'error' }) as Compose
}

/** What the image of Forgelet sets. */
export function imageEnvironment(): Record<string, string> {
  const text = readFileSync(join(tree, 'packaging/container/Containerfile'), 'utf8')
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(text) ?? []
  return Object.fromEntries(
    [...block.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  )
}
