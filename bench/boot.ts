import process from 'node:process' // makes this a module

// A start as `npm start` does it; says so once it answers.

process.env['FORGELET_LOG_LEVEL'] = 'silent'
process.argv.push('--ready-file=/dev/fd/1')
await import('../scripts/start.js')
