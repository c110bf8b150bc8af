import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PackWriter } from '#code/git/pack-writer.ts'
import { addCommit, type CommitSignature } from '#code/git/new-commit.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { importInto, summarize } from './repositories.ts'
import type { World } from './world.ts'

// A repository of few megabytes that claims to be gigabytes: all that people have thought of to make a server work. Much of
// it would be refused as a push. It goes into the storage directly, as with the data of an earlier version.

/** Bytes of each of the long messages, and how many there are. */
const MESSAGE = 31 * 1024 * 1024
const MESSAGES = 24
/** Files that go, and as many that come, and bytes of each. */
const RENAMED = 1_000
const RENAMED_BYTES = 44_000
const BLOB = 500 * 1024 * 1024
const REFERENCES = 100_000
/** Folders in a folder, and how deep they are. */
const [WIDE, HIGH] = [32, 7]
const DEPTH = 1_500

const MIB = 1024 * 1024
const somebody: CommitSignature = { name: 'Eve', email: 'eve@example.com', time: 1_700_000_000_000 }

let time = 1_700_000_000
const head = (branch: string) =>
  `commit refs/heads/${branch}\ncommitter Eve <eve@example.com> ${(time += 60)} +0000\n`

function* repeated(size: number, letter: string): Generator<Buffer> {
  const piece = Buffer.alloc(MIB, letter)
  for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, left)
}

function* messages(): Generator<string | Buffer> {
  for (let n = 0; n < MESSAGES; n += 1) {
    yield `${head('messages')}data ${MESSAGE}\n`
    yield* repeated(MESSAGE, 'a')
    yield `\n${n === 0 ? 'from refs/heads/main\n' : ''}M 644 inline counted\ndata ${String(n).length}\n${n}\n`
  }
  yield `tag message\nfrom refs/heads/main\ntagger Eve <eve@example.com> ${time} +0000\ndata ${MESSAGE}\n`
  yield* repeated(MESSAGE, 'b')
  yield '\n'
}

/** Files without a line in common. */
function* folder(name: string): Generator<string> {
  for (let file = 0; file < RENAMED; file += 1) {
    let content = ''
    for (let line = 0; content.length < RENAMED_BYTES; line += 1)
      content += `${name} ${file * 7_919 + line}\n`
    yield `M 644 inline ${name}/${file}\ndata ${content.length}\n${content}\n`
  }
}

function* renames(): Generator<string> {
  yield `${head('before')}data 1\nx\nfrom refs/heads/main\n`
  yield* folder('old')
  yield `${head('renames')}data 1\nx\nfrom refs/heads/before\nD old\n`
  yield* folder('young')
  yield `${head('before')}data 1\nx\nM 644 inline added\ndata 1\nx\n`
}

function* blob(): Generator<string | Buffer> {
  yield `${head('zeros')}data 1\nx\nfrom refs/heads/main\nM 644 inline zeros\ndata ${BLOB}\n`
  yield* repeated(BLOB, '\0')
  yield '\n'
}

async function* stream(): AsyncGenerator<string | Buffer> {
  yield `${head('main')}data 1\nx\nM 644 inline README.md\ndata 6\nHello\n\n`
  yield* messages()
  yield* renames()
  yield* blob()
  yield `${head('deep')}data 1\nx\nfrom refs/heads/main\nM 644 inline ${'d/'.repeat(DEPTH)}f\ndata 1\nx\n`
  // Two people who change each line of a file in turn.
  for (let n = 0; n < 50; n += 1) {
    const lines = Array.from(
      { length: 1_000 },
      (_, line) => `${line % 2 === n % 2 ? n : n - 1} ${line}\n`,
    ).join('')
    yield `${head('lines')}data 1\nx\n${n === 0 ? 'from refs/heads/main\n' : ''}M 644 inline lines\ndata ${lines.length}\n${lines}\n`
  }
}

/** Folders of folders …: some objects that claim to be thousands of millions of files. */
async function bomb(repository: StoredRepository): Promise<string> {
  const pack = new PackWriter()
  const entry = (mode: string, name: string, id: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])
  const numbers = Array.from({ length: WIDE }, (_, n) => String(n).padStart(2, '0'))
  const file = pack.add('blob', Buffer.from('boom\n'))
  let tree = pack.add('tree', Buffer.concat(numbers.map((n) => entry('100644', n, file))))
  for (let level = 1; level < HIGH; level += 1) {
    const below = tree
    tree = pack.add('tree', Buffer.concat(numbers.map((n) => entry('40000', n, below))))
  }
  const commit = addCommit(pack, { tree, parents: [], author: somebody, committer: somebody, message: 'x' })
  await using quarantine = await Quarantine.open(repository)
  await quarantine.add(pack)
  await quarantine.keep()
  return commit
}

/** Gives a project such a repository. Its branches: main, messages, before, renames, zeros, deep, lines, bomb, and many. */
export async function giveHostile(project: { readonly id: number }, world: World): Promise<StoredRepository> {
  const repository = await importInto(project, stream(), world)
  const { git } = repository
  const tip = (await resolveCommit(repository, 'main')) ?? ''
  const [messagesTip, commit] = [(await resolveCommit(repository, 'messages')) ?? '', await bomb(repository)]
  const known = await git.text(repository, ['for-each-ref', '--format=%(objectname) %(refname)'])
  const part = (n: number) => `${n}-`.padEnd(240, 'x')
  const names = [
    `${commit} refs/heads/bomb`,
    ...known.trim().split('\n'),
    // Names at their limits, for commits that are expensive to show.
    ...Array.from(
      { length: 100 },
      (_, n) => `${messagesTip} refs/heads/${part(n)}/${part(1)}/${part(2)}/${part(3)}`,
    ),
    ...Array.from(
      { length: REFERENCES },
      (_, n) => `${tip} refs/${n % 2 === 0 ? 'heads' : 'tags'}/many-${n}`,
    ),
  ]
  const sorted = names.toSorted((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1))
  await writeFile(join(repository.folder, 'packed-refs'), `# pack-refs with: sorted \n${sorted.join('\n')}\n`)
  return summarize(repository, world)
}
