/** Tells by the name of a file which language it is written in. The table of languages is large, so it is loaded late. */

interface Language {
  readonly name: string
  readonly type: string
  readonly group?: string
  readonly extensions?: readonly string[]
  readonly filenames?: readonly string[]
}

/** Extensions that several languages share, with the language that a file nearly always has; null for files that are no code. */
const preferred: Readonly<Record<string, string | null>> = {
  '.h': 'C',
  '.m': 'Objective-C',
  '.md': null,
  '.pl': 'Perl',
  '.r': 'R',
  '.rs': 'Rust',
  '.fs': 'F#',
  '.v': 'Verilog',
  '.s': 'Assembly',
  '.asm': 'Assembly',
  '.ts': 'TypeScript',
  '.html': 'HTML',
  '.t': 'Perl',
  '.d': 'D',
  '.cls': 'TeX',
  '.sql': null,
}

/** Vendored and generated files do not count: they say nothing about a project. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|bower_components|vendor|vendored|third[-_]?party|dist|Godeps\/_workspace)\/|\.min\.(?:js|css)$|(?:^|\/)docs?\//i

type Lookup = (path: string) => string | undefined

let lookup: Promise<Lookup> | undefined

/** A function that names the language of a file by its path. Undefined for what is not code. */
export function languageLookup(): Promise<Lookup> {
  return (lookup ??= makeLookup())
}

async function makeLookup(): Promise<Lookup> {
  const all: Readonly<Record<string, Language>> = await import('linguist-languages')
  const byFilename = new Map<string, string | undefined>()
  const byExtension = new Map<string, { name: string | undefined; isFirst: boolean }>()
  for (const language of Object.values(all)) {
    const name = countedNameOf(language)
    for (const filename of language.filenames ?? []) byFilename.set(filename, name)
    for (const [index, extension] of (language.extensions ?? []).entries()) {
      const known = byExtension.get(extension)
      const isFirst = index === 0
      if (known === undefined || (isFirst && !known.isFirst)) byExtension.set(extension, { name, isFirst })
    }
  }
  for (const [extension, name] of Object.entries(preferred)) {
    byExtension.set(extension, { name: name ?? undefined, isFirst: true })
  }
  return (path) => {
    if (FOREIGN.test(path)) return undefined
    const filename = path.slice(path.lastIndexOf('/') + 1)
    if (byFilename.has(filename)) return byFilename.get(filename)
    // Of `.d.ts` and `.ts`, the longer one says more.
    for (let at = filename.indexOf('.'); at >= 0; at = filename.indexOf('.', at + 1)) {
      const found = byExtension.get(filename.slice(at).toLowerCase())
      if (found !== undefined) return found.name
    }
    return undefined
  }
}

/** Dialects count as the language that they are of. Data and prose are no code. */
function countedNameOf({ name, type, group }: Language): string | undefined {
  return type === 'programming' || type === 'markup' ? (group ?? name) : undefined
}
