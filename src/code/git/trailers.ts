import type { Repository } from './repository.ts'

/** A line such as `Reviewed-by: Ada` at the end of a message. */
export type Trailer = readonly [key: string, value: string]

/** How `git log` writes trailers that {@link readTrailersIn} reads, with a `%x1f` between them. */
export const TRAILERS = '%(trailers:only,unfold,separator=%x1f,key_value_separator=%x1e)'
const FORMAT = `%H%x1f${TRAILERS}`

/** The trailers of commits by their ids: one process for all of them. */
export async function readTrailers(
  repository: Repository,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Trailer[]>> {
  const ask = async (missing: readonly string[]) => {
    const args = ['log', '-z', '--no-walk=unsorted', '--stdin', `--format=${FORMAT}`]
    const input = missing.map((id) => `${id}\n`).join('')
    const text = await repository.git.text(repository, args, { input })
    return new Map(text.split('\0').map(readLine))
  }
  return repository.git.kept.answers(repository, 'trailers', ids, ask, { bytes: bytesOf })
}

const bytesOf = (trailers: readonly Trailer[]): number =>
  trailers.reduce((sum, [key, value]) => sum + 2 * (key.length + value.length) + 64, 0)

function readLine(line: string): [id: string, trailers: Trailer[]] {
  const [id = '', ...trailers] = line.split('\x1f')
  return [id, readTrailersIn(trailers)]
}

/** Reads what git wrote by {@link TRAILERS}, once it is split. */
export const readTrailersIn = (trailers: readonly string[]): Trailer[] =>
  trailers.flatMap((trailer): Trailer[] => {
    const [key = '', value = ''] = trailer.split('\x1e')
    return key === '' ? [] : [[key, value]]
  })
