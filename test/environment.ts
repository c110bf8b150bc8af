/** What a program that a test starts takes over from the tests: nothing that configures it. */
export function plainEnvironment(): NodeJS.Dict<string> {
  const { PATH, TMPDIR } = process.env
  return { PATH, TMPDIR }
}

/** The same for programs of the tests, which keep their compiled code: most of them are killed again and again. */
export function programEnvironment(): NodeJS.Dict<string> {
  return { ...plainEnvironment(), NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
}
