// The receiver as a provider: its keys are in the database of the app, and it drains before the app shuts down.
import { type BeforeApplicationShutdown, Injectable, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { createReceiver, type Receiver } from 'event-webhook-receiver';
import { fromTypeOrm, type SqlStore, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Column, type DataSource, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';

@Entity('transfers')
export class Transfer {
  @PrimaryGeneratedColumn()
  id!: number;
  @Column('text', { name: 'event_id' })
  eventId!: string;
  @Column('text')
  name!: string;
}

@Injectable()
export class Webhooks implements OnModuleInit, BeforeApplicationShutdown {
  readonly receiver: Receiver;
  private readonly store: SqlStore<EntityManager>;
  private readonly logger = new Logger(Webhooks.name);

  constructor(@InjectDataSource() source: DataSource) {
    const store = sqlStore({ db: fromTypeOrm(source), transactional: true });
    this.store = store;
    this.receiver = createReceiver({
      secret: process.env.WEBHOOK_SECRET ?? '',
      store,
      onEvent: async (event, { tx }) => {
        await tx.insert(Transfer, { eventId: event.id, name: event.event });
        this.logger.log(`took effect: ${event.id}`);
      },
      onError: (error) => this.logger.error(error),
    });
  }

  onModuleInit(): Promise<void> {
    return this.store.migrate();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { unfinished } = await this.receiver.drain({ timeoutMs: 50_000 });
    if (unfinished > 0) this.logger.warn(`${unfinished} deliveries are unfinished`);
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Transfer])], providers: [Webhooks], exports: [Webhooks] })
export class WebhooksModule {}
