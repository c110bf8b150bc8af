import { run } from '#program/cli/run.ts'

export interface Result {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line in this process. */
export async function forgelet(
  args: readonly string[],
  environment: NodeJS.Dict<string> = {},
  input: string[] = [],
): Promise<Result> {
  let out = ''
  let err = ''
  const code = await run(args, {
    environment,
    input: (async function* () {
      yield* input
    })(),
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: { out: false, err: false },
  })
  return { code, out, err }
}
