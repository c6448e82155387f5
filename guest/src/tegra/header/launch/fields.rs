//! Fields of launch descriptors, version 1.7; version 0.6 has those that matter at the same places. Source: NVIDIA
//! clb1c0qmd.h.

use crate::table::words::word_fields;

word_fields! {
    /// Queues of the scheduler; not used.
    OUTER_PUT 0 0:30;
    /// Queues of the scheduler; not used.
    OUTER_OVERFLOW 0 31:31;
    /// Queues of the scheduler; not used.
    OUTER_GET 1 0:30;
    /// Queues of the scheduler; not used.
    OUTER_STICKY_OVERFLOW 1 31:31;
    /// Queues of the scheduler; not used.
    INNER_GET 2 0:30;
    /// Queues of the scheduler; not used.
    INNER_OVERFLOW 2 31:31;
    /// Queues of the scheduler; not used.
    INNER_PUT 3 0:30;
    /// Queues of the scheduler; not used.
    INNER_STICKY_OVERFLOW 3 31:31;
    /// Scheduling; without visible effect.
    DEPENDENT_QMD_POINTER 5 0:31;
    /// Scheduling; without visible effect.
    QMD_GROUP_ID 6 0:5;
    /// Scheduling; without visible effect.
    SM_GLOBAL_CACHING_ENABLE 6 6:6;
    /// Scheduling; without visible effect.
    RUN_CTA_IN_ONE_SM_PARTITION 6 7:7;
    /// Queues of the scheduler; not used.
    IS_QUEUE 6 8:8;
    /// Scheduling; without visible effect.
    ADD_TO_HEAD_OF_QMD_GROUP_LINKED_LIST 6 9:9;
    /// Release 0 happens.
    SEMAPHORE_RELEASE_ENABLE0 6 10:10;
    /// Release 1 happens.
    SEMAPHORE_RELEASE_ENABLE1 6 11:11;
    /// Scheduling; without visible effect.
    REQUIRE_SCHEDULING_PCAS 6 12:12;
    /// Scheduling; without visible effect.
    DEPENDENT_QMD_SCHEDULE_ENABLE 6 13:13;
    /// Scheduling; without visible effect.
    DEPENDENT_QMD_TYPE 6 14:14;
    /// Scheduling; without visible effect.
    DEPENDENT_QMD_FIELD_COPY 6 15:15;
    /// Queues of the scheduler; not used.
    CIRCULAR_QUEUE_SIZE 7 0:24;
    /// Caches that the launch empties.
    INVALIDATE_TEXTURE_HEADER_CACHE 7 26:26;
    /// Caches that the launch empties.
    INVALIDATE_TEXTURE_SAMPLER_CACHE 7 27:27;
    /// Caches that the launch empties.
    INVALIDATE_TEXTURE_DATA_CACHE 7 28:28;
    /// Caches that the launch empties.
    INVALIDATE_SHADER_DATA_CACHE 7 29:29;
    /// Caches that the launch empties.
    INVALIDATE_INSTRUCTION_CACHE 7 30:30;
    /// Caches that the launch empties.
    INVALIDATE_SHADER_CONSTANT_CACHE 7 31:31;
    /// Where the code begins, bytes from the program region.
    PROGRAM_OFFSET 8 0:31;
    /// Queues of the scheduler; not used.
    CIRCULAR_QUEUE_ADDR_LOWER 9 0:31;
    /// Queues of the scheduler; not used.
    CIRCULAR_QUEUE_ADDR_UPPER 10 0:7;
    /// Queues of the scheduler; not used.
    CIRCULAR_QUEUE_ENTRY_SIZE 10 16:31;
    /// Scheduling; without visible effect.
    CWD_REFERENCE_COUNT_ID 11 0:5;
    /// Scheduling; without visible effect.
    CWD_REFERENCE_COUNT_DELTA_MINUS_ONE 11 6:13;
    /// Orders memory before the releases.
    RELEASE_MEMBAR_TYPE 11 14:14;
    /// Scheduling; without visible effect.
    CWD_REFERENCE_COUNT_INCR_ENABLE 11 15:15;
    /// Orders memory before the grid.
    CWD_MEMBAR_TYPE 11 16:17;
    /// Scheduling; without visible effect.
    SEQUENTIALLY_RUN_CTAS 11 18:18;
    /// Scheduling; without visible effect.
    CWD_REFERENCE_COUNT_DECR_ENABLE 11 19:19;
    /// Scheduling; without visible effect.
    THROTTLED 11 20:20;
    /// NaN in the program.
    FP32_NAN_BEHAVIOR 11 24:24;
    /// NaN converted to an integer.
    FP32_F2I_NAN_BEHAVIOR 11 25:25;
    /// Scheduling; without visible effect.
    API_VISIBLE_CALL_LIMIT 11 26:26;
    /// Scheduling; without visible effect.
    SHARED_MEMORY_BANK_MAPPING 11 27:27;
    /// Sampler by its own index, or by the header's.
    SAMPLER_INDEX 11 30:30;
    /// Denormals.
    FP32_NARROW_INSTRUCTION 11 31:31;
    /// Blocks of the grid, x.
    CTA_RASTER_WIDTH 12 0:31;
    /// Blocks of the grid, y.
    CTA_RASTER_HEIGHT 13 0:15;
    /// Blocks of the grid, z.
    CTA_RASTER_DEPTH 13 16:31;
    /// Where a grid goes on; 0.
    CTA_RASTER_WIDTH_RESUME 14 0:31;
    /// Where a grid goes on; 0.
    CTA_RASTER_HEIGHT_RESUME 15 0:15;
    /// Where a grid goes on; 0.
    CTA_RASTER_DEPTH_RESUME 15 16:31;
    /// Queues of the scheduler; not used.
    QUEUE_ENTRIES_PER_CTA_MINUS_ONE 16 0:6;
    /// Scheduling; without visible effect.
    COALESCE_WAITING_PERIOD 16 10:17;
    /// Bytes of shared memory of a block.
    SHARED_MEMORY_SIZE 17 0:17;
    /// Minor version; drivers leave it 0.
    QMD_VERSION 18 0:3;
    /// Major version; drivers leave it 0.
    QMD_MAJOR_VERSION 18 4:7;
    /// Threads of a block, x.
    CTA_THREAD_DIMENSION0 18 16:31;
    /// Threads of a block, y.
    CTA_THREAD_DIMENSION1 19 0:15;
    /// Threads of a block, z.
    CTA_THREAD_DIMENSION2 19 16:31;
    /// Constant buffer 0 is there; the following bits for the others.
    CONSTANT_BUFFER_VALID 20 0:0;
    /// Memory of the unit; without visible effect.
    L1_CONFIGURATION 20 29:31;
    /// Scheduling; without visible effect.
    SM_DISABLE_MASK_LOWER 21 0:31;
    /// Scheduling; without visible effect.
    SM_DISABLE_MASK_UPPER 22 0:31;
    /// Release 0: address, bits 31:0.
    RELEASE0_ADDRESS_LOWER 23 0:31;
    /// Release 0: address, bits 39:32.
    RELEASE0_ADDRESS_UPPER 24 0:7;
    /// Release 0: how memory and payload are joined.
    RELEASE0_REDUCTION_OP 24 20:22;
    /// Release 0: numbers of the reduction.
    RELEASE0_REDUCTION_FORMAT 24 24:25;
    /// Release 0: joins instead of storing.
    RELEASE0_REDUCTION_ENABLE 24 26:26;
    /// Release 0: four words or one.
    RELEASE0_STRUCTURE_SIZE 24 31:31;
    /// Release 0: payload.
    RELEASE0_PAYLOAD 25 0:31;
    /// Release 1: address, bits 31:0.
    RELEASE1_ADDRESS_LOWER 26 0:31;
    /// Release 1: address, bits 39:32.
    RELEASE1_ADDRESS_UPPER 27 0:7;
    /// Release 1: how memory and payload are joined.
    RELEASE1_REDUCTION_OP 27 20:22;
    /// Release 1: numbers of the reduction.
    RELEASE1_REDUCTION_FORMAT 27 24:25;
    /// Release 1: joins instead of storing.
    RELEASE1_REDUCTION_ENABLE 27 26:26;
    /// Release 1: four words or one.
    RELEASE1_STRUCTURE_SIZE 27 31:31;
    /// Release 1: payload.
    RELEASE1_PAYLOAD 28 0:31;
    /// Address of constant buffer 0, bits 31:0; the others follow at 2 words each.
    CONSTANT_BUFFER_ADDR_LOWER 29 0:31;
    /// Address of constant buffer 0, bits 39:32.
    CONSTANT_BUFFER_ADDR_UPPER 30 0:7;
    /// Caches of constant buffer 0.
    CONSTANT_BUFFER_INVALIDATE 30 14:14;
    /// Bytes of constant buffer 0.
    CONSTANT_BUFFER_SIZE 30 15:31;
    /// Bytes of local memory of a thread, positive side.
    SHADER_LOCAL_MEMORY_LOW_SIZE 45 0:23;
    /// Barriers of a block.
    BARRIER_COUNT 45 27:31;
    /// Bytes of local memory of a thread, negative side.
    SHADER_LOCAL_MEMORY_HIGH_SIZE 46 0:23;
    /// Registers of a thread.
    REGISTER_COUNT 46 24:31;
    /// Bytes of the stack of a warp.
    SHADER_LOCAL_MEMORY_CRS_SIZE 47 0:23;
    /// Version of the instruction set.
    SASS_VERSION 47 24:31;
}
