/** Chooses the seed of all property tests in this run. To repeat a run, set the environment variable SEED. */
export default function setup(): void {
  process.env['SEED'] ??= String(Date.now() % 1_000_000_000)
  console.log(`Property tests use SEED=${process.env['SEED']}`)
}
