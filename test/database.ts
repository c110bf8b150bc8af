/** What every database of the tests has in it. */

/** The administrator's token in every test database. */
export const ROOT_TOKEN = 'glpat-the-root-token-of-the-tests'

export const SECRET_KEY = 'the master key of the tests, long enough'

/** The id of the storage `default`: a folder of repositories belongs to the instance whose id its file holds. */
export const STORAGE = { file: '.forgelet-storage', id: '5704a6e0f7e575000000000000000001' } as const
