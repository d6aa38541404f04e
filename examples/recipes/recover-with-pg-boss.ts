// Calls `recover` of orders or a journal every minute, with pg-boss.
import { PgBoss } from 'pg-boss'

export async function schedule(recover: () => Promise<unknown>): Promise<void> {
  const boss = new PgBoss(process.env['DATABASE_URL'] ?? 'postgres://localhost:5432/shop')
  boss.on('error', console.error)
  await boss.start()
  await boss.createQueue('recover')
  await boss.work('recover', recover)
  await boss.schedule('recover', '* * * * *')
}
