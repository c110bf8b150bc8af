/** What comes before the path of a module, and what follows it. */
const PARTS = /^(\/api\/v4\/projects\/[^/?]+\/packages\/go\/)([^?]+?)(\/@(?:v\/[^/?]+|latest))(?=$|\?)/

/** The path of a module as one segment, as routes want it: clients send its slashes as they are. */
export const goUrl = (url: string): string =>
  url.replace(
    PARTS,
    (_, before: string, module: string, rest: string) => before + module.replaceAll('/', '%2F') + rest,
  )
